/** What came of a turn that was killed, against what is promised. */
import type { Mail } from '../../src/endo/guest.ts';
import { nodeName, sortNames } from '../../src/transcript/names.ts';
import { parseNode } from '../../src/transcript/node.ts';
import { INTERRUPTED } from '../../src/transcript/repair.ts';
import type { ChaosPoint } from './chaos-plan.ts';
import type { Ended, Subject } from './chaos-subject.ts';

export type Verdict = {
  /** Where it was killed. */
  readonly at: string;
  /** What was to be done, and is not. */
  readonly lost: readonly string[];
  /** What was done once more than asked for, or otherwise than asked for. */
  readonly doubled: readonly string[];
  /** Steps that the model was asked for again though its answer was on record. */
  readonly askedTwice: readonly number[];
  /** Results of calls that nobody knows. */
  readonly unknown: number;
  /** Granted code that the daemon was killed in. */
  readonly lostGrants: number;
};

/** What is in the first list more often than in the second. */
const without = (
  list: readonly string[],
  other: readonly string[],
): readonly string[] => {
  const left = [...other];
  return list.filter((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
};

const toldBy = (mail: readonly Mail[], id: string): readonly string[] =>
  mail
    .filter(({ from }) => from === id)
    .map((each) => {
      if (each.type !== 'package') return each.type;
      return each.strings.join('@').replace(/^\[depth:\d+\] /u, '');
    });

/** Values by their names, as far as they are there. */
const valuesOf = async ({ guest, names }: Ended) => {
  const wanted = ['kept', 'mine', 'here', 'there', 'rubbish', 'product'];
  const there = wanted.filter((name) => names.has(name));
  return Promise.all(
    there.map(
      async (name) => `${name} = ${String(await guest.lookup([name]))}`,
    ),
  );
};

const failuresOf = async ({ guest, names }: Ended) => {
  const { nodes } = sortNames([...names]);
  const all = await Promise.all(
    [...nodes].map(async (id) => {
      const name = nodeName(id);
      return parseNode(name, await guest.lookup([name])).messages;
    }),
  );
  return all
    .flat()
    .flatMap((each) => (each.role === 'tool' && each.isError ? [each] : []));
};

const placeOf = (point: ChaosPoint | undefined): string =>
  point === undefined ? 'any time' : `${point.side} ${point.label}`;

/** Of a turn that comes to no end: what it is waited for. */
export const judgeEndless = ({ point }: Subject, why: string): Verdict => ({
  at: placeOf(point),
  lost: [why],
  doubled: [],
  askedTwice: [],
  unknown: 0,
  lostGrants: 0,
});

export const judge = async (
  { id, isGranted, point, asked, journaled }: Subject,
  ended: Ended,
  seen: { readonly host: readonly Mail[]; readonly bob: readonly Mail[] },
): Promise<Verdict> => {
  const forHost = toldBy(seen.host, id);
  const isLost = isGranted && forHost.includes('It was lost.');
  const news = isLost ? 'lost' : isGranted ? 'granted' : 'rejected';
  const failures = await failuresOf(ended);
  const actual = [
    ...forHost.map((text) => `to HOST: ${text}`),
    ...toldBy(seen.bob, id).map((text) => `to Bob: ${text}`),
    ...(await valuesOf(ended)),
    ...failures
      .filter(({ content }) => content !== INTERRUPTED)
      .map(({ content }) => `error: ${content}`),
  ];
  const expected = [
    ...['Working.', 'Done.', `It was ${news}.`, 'review'].map(
      (text) => `to HOST: ${text}`,
    ),
    ...['Same', 'Same', 'request'].map((text) => `to Bob: ${text}`),
    ...['kept = 7', 'mine = 42', 'there = it'],
    ...(news === 'granted' ? ['product = 42'] : []),
  ];
  return {
    at: placeOf(point),
    lost: without(expected, actual),
    doubled: without(actual, expected),
    askedTwice: asked
      .filter(({ step, life }) => step < (journaled[life] ?? 0))
      .map(({ step }) => step),
    unknown: failures.filter(({ content }) => content === INTERRUPTED).length,
    lostGrants: isLost ? 1 : 0,
  };
};
