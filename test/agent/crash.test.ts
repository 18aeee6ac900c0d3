import { expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { ChatAnswer } from '../../src/model/chat.ts';
import type { Death } from '../support/killable-guest.ts';
import { introduce } from './acquaintance.ts';
import {
  type CrashWorld,
  leftOf,
  makeCrashWorld,
  textsOf,
  untilQuiet,
} from './crash-world.ts';
import { deciding } from './deciding.ts';

type Call = readonly [name: string, args: object];

const answerWith = (content: string, calls: readonly Call[] = []): ChatAnswer =>
  harden({
    message: {
      role: 'assistant',
      content,
      toolCalls: calls.map(([name, args], index) => ({
        id: `call-${index}`,
        name,
        argumentsText: JSON.stringify(args),
      })),
    },
    stop: calls.length > 0 ? 'tools' : 'end',
    usage: { input: 10, cached: 0, output: 5 },
  });

const same = ['send', { recipientName: 'bob', strings: ['Same'] }] as const;

/** Eight steps with all kinds of effects, and a closing answer. */
const STEPS: readonly ChatAnswer[] = [
  answerWith('', [
    ['list', {}],
    ['lookup', { petNameOrPath: 'note' }],
  ]),
  answerWith('', [same, same]),
  answerWith('', [['store', { petName: 'kept', value: 7 }]]),
  answerWith('', [
    ['adopt', { messageNumber: 0, edgeName: 'gift', petName: 'mine' }],
  ]),
  answerWith('', [['evaluate', { source: '6 * 7', resultName: 'product' }]]),
  answerWith('', [['request', { recipientName: 'bob', description: 'a pen' }]]),
  answerWith('', [['reply', { messageNumber: 0, strings: ['Working.'] }]]),
  answerWith('', [
    ['move', { fromPath: 'here', toPath: 'there' }],
    ['remove', { petNamePath: 'rubbish' }],
  ]),
  answerWith('Done.'),
];

const script = (turn: string, step: number): ChatAnswer => {
  if (turn.includes('Do it all')) {
    const answer = STEPS[step];
    if (answer !== undefined) return answer;
  }
  if (/Your proposal #\d+ was granted/u.test(turn) && step === 0) {
    return answerWith('It is 42.');
  }
  throw Error(`Unexpected: step ${step} of ${turn}`);
};

/** The HOST asks, once; Bob is there to be written to. */
const prepare = async (strict = true): Promise<CrashWorld> => {
  const made = await makeCrashWorld(script, { strict });
  const { world, hob, own, host } = made;
  const bob = await world.makeGuest('bob');
  await introduce(hob.powers, 'bob', bob.handleId);
  await own.storeValue('a note', ['note']);
  await own.storeValue('it', ['here']);
  await own.storeValue('rubbish', ['rubbish']);
  await host.storeValue(42, ['gift']);
  await host.send(['hob'], {
    strings: ['Do it all with ', ''],
    edgeNames: ['gift'],
    petNames: [['gift']],
  });
  return made;
};

/** The HOST grants what is proposed, as soon as it is there. */
const grant = async ({ world, host }: CrashWorld): Promise<void> => {
  for (const mail of await host.listMessages()) {
    if (mail.type !== 'review' || (mail.state ?? 'open') !== 'open') continue;
    // Where no state is told, it may have been granted before.
    await deciding(world.host)
      .grant(mail.number)
      .catch(() => undefined);
  }
};

const inboxOf = async ({ host }: CrashWorld) => {
  const self = await host.identify(['SELF']);
  return (await host.listMessages()).filter(({ from }) => from !== self);
};

const isDone = async (made: CrashWorld): Promise<boolean> => {
  await grant(made);
  const texts = textsOf(await inboxOf(made));
  const { entries, nodes } = await leftOf(made.own);
  const turns = nodes.filter(({ messages }) => messages.length > 0);
  return (
    texts.includes('Done.') &&
    texts.includes('It is 42.') &&
    entries === 0 &&
    turns.length === 2
  );
};

const live = async (made: CrashWorld, death?: Death) => {
  const incarnation = await made.start(death);
  await made.untilOver(incarnation, () => isDone(made));
  return incarnation;
};

const tally = async (made: CrashWorld) => {
  const { world, own, requests } = made;
  const bob = makeGenerationAGuest((await world.makeGuest('bob')).powers);
  const forBob = await bob.listMessages();
  const forHost = await inboxOf(made);
  const { entries, unknown, errors } = await leftOf(own);
  return {
    told: [...textsOf(forHost)].sort(),
    proposals: forHost.filter(({ type }) => type === 'review').length,
    sentToBob: textsOf(forBob),
    requests: forBob.filter(({ type }) => type === 'request').length,
    names: await Promise.all(
      ['kept', 'mine', 'there', 'product'].map((name) =>
        own.lookup([name]).catch(() => undefined),
      ),
    ),
    gone: [await own.has(['here']), await own.has(['rubbish'])],
    entries,
    unknown,
    errors,
    asked: requests.length,
  };
};

const EXPECTED = {
  told: ['Done.', 'It is 42.', 'Working.'],
  proposals: 1,
  sentToBob: ['Same', 'Same'],
  requests: 1,
  names: [7, 42, 'it', 42],
  gone: [false, false],
  entries: 0,
  unknown: 0,
  errors: [],
};

it('does all of a turn of eight steps when nothing interrupts it', async () => {
  const made = await prepare();
  const { calls } = await live(made);
  expect(await tally(made)).toEqual({ ...EXPECTED, asked: 10 });
  expect(calls.length).toBeGreaterThan(60);
  expect(made.events.filter(({ type }) => type === 'trouble')).toEqual([]);
});

const countCalls = async (): Promise<number> => {
  const made = await prepare();
  const { calls } = await live(made);
  return calls.length;
};

const describeDeath = (calls: readonly string[], { at, side }: Death): string =>
  `killed ${side} call ${at} (${calls[at] ?? 'none'})`;

it.each(['before', 'after'] as const)(
  'loses nothing, doubles nothing and asks nothing twice when it is killed %s any of its calls',
  async (side) => {
    const count = await countCalls();
    const failures: unknown[] = [];
    for (let at = 0; at < count; at += 1) {
      const made = await prepare();
      const first = await live(made, { at, side });
      const where = describeDeath(first.calls, { at, side });
      const durable = await made.journaledAnswers();
      const before = made.requests.length;
      try {
        await live(made);
        expect(await tally(made), where).toMatchObject(EXPECTED);
        const again = made.requests.length - before;
        expect(durable + again, `${where}: answers`).toBe(10);
      } catch (error) {
        failures.push(`${where}: ${(error as Error).message}`);
      }
    }
    expect(failures).toEqual([]);
  },
);

it.each(['before', 'after'] as const)(
  'says on Endo’s daemon what is unknown, and sends nothing of the model twice, when it is killed %s any of its calls',
  async (side) => {
    const count = await countCalls();
    const unknowns: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const made = await prepare(false);
      const first = await made.start({ at, side });
      await untilQuiet(first);
      await grant(made);
      await untilQuiet(first);
      if (first.isDead()) {
        const second = await made.start();
        await untilQuiet(second);
        await grant(made);
        await untilQuiet(second);
      }
      const where = describeDeath(first.calls, { at, side });
      const { told, sentToBob, requests, proposals, entries, unknown } =
        await tally(made);
      expect(told, where).toContain('Done.');
      expect(entries, where).toBe(0);
      const sent = [
        ...told.filter((text) => text === 'Working.'),
        ...sentToBob,
        ...Array.from({ length: requests + proposals }, () => 'asked'),
      ];
      // What was not sent is what is reported as unknown.
      expect(sent.length + unknown, where).toBe(5);
      expect(unknown, where).toBeLessThanOrEqual(1);
      if (unknown > 0) unknowns.push(first.calls[at] ?? '');
    }
    // Between what is noted and what has left there is no telling.
    if (side === 'after') expect(new Set(unknowns)).not.toContain('send');
    else expect(unknowns).toContain('send');
  },
);
