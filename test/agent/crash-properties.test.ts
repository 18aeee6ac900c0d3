import fc from 'fast-check';
import { expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest, Mail } from '../../src/endo/guest.ts';
import type { ChatAnswer } from '../../src/model/chat.ts';
import { introduce } from './acquaintance.ts';
import {
  type CrashWorld,
  leftOf,
  makeCrashWorld,
  textsOf,
  untilQuiet,
} from './crash-world.ts';
import { deciding } from './deciding.ts';

/** What happens to an agent: mail, decisions, and the end of its process. */
type Happening =
  | {
      readonly type: 'mail';
      readonly from: 'host' | 'bob';
      readonly what: What;
    }
  | { readonly type: 'reply'; readonly from: 'host' | 'bob' }
  | { readonly type: 'decide'; readonly how: 'grant' | 'reject' }
  | { readonly type: 'kill'; readonly at: number; readonly side: Side }
  | { readonly type: 'wait' };
type What = 'plain' | 'store' | 'tell' | 'propose';
type Side = 'before' | 'after';

const say = (content: string): ChatAnswer =>
  harden({
    message: { role: 'assistant', content, toolCalls: [] },
    stop: 'end',
    usage: { input: 10, cached: 0, output: 5 },
  });

const run = (name: string, args: object): ChatAnswer =>
  harden({
    message: {
      role: 'assistant',
      content: '',
      toolCalls: [{ id: 'call', name, argumentsText: JSON.stringify(args) }],
    },
    stop: 'tools',
    usage: { input: 10, cached: 0, output: 5 },
  });

/** Every message says what is to be done, and a word that no other has. */
const script = (turn: string, step: number): ChatAnswer => {
  const outcome = /You proposed: "'(\w+)'"/u.exec(turn)?.[1];
  if (outcome !== undefined) return say(`Outcome of ${outcome}.`);
  const [, what, word] = /"(\w+) (w\d+)"$/u.exec(turn) ?? [];
  const first: { readonly [what: string]: ChatAnswer } = {
    store: run('store', { petName: `kept-${word}`, value: word }),
    tell: run('send', { recipientName: 'carol', strings: ['Hello'] }),
    propose: run('evaluate', { source: `'${word}'` }),
  };
  return (step === 0 ? first[what ?? ''] : undefined) ?? say(`Done ${word}.`);
};

const makePlay = async () => {
  const made = await makeCrashWorld(script);
  const { world, hob } = made;
  const bob = await world.makeGuest('bob');
  const carol = await world.makeGuest('carol');
  await introduce(hob.powers, 'bob', bob.handleId);
  await introduce(hob.powers, 'carol', carol.handleId);
  await introduce(bob.powers, 'hob', hob.handleId);
  const people: { readonly [name: string]: Guest } = {
    host: made.host,
    bob: makeGenerationAGuest(bob.powers),
  };
  return { ...made, people, carol: makeGenerationAGuest(carol.powers) };
};

type Play = Awaited<ReturnType<typeof makePlay>>;

const fromAgent = async ({ hob }: CrashWorld, person: Guest) =>
  (await person.listMessages()).filter(({ from }) => from === hob.handleId);

const openReviews = async (play: Play): Promise<readonly Mail[]> =>
  (await play.host.listMessages()).filter(
    (mail) => mail.type === 'review' && mail.state === 'open',
  );

const textParcel = (text: string) =>
  harden({ strings: [text], edgeNames: [], petNames: [] });

/** Plays it all, then lets the agent live until it has nothing to do. */
const play = async (happenings: readonly Happening[]) => {
  const made = await makePlay();
  const sent: { from: string; what: What | 'reply'; word: string }[] = [];
  const settledBytes = new Map<string, string>();
  let agent = await made.start();

  const checkNodes = async (): Promise<void> => {
    for (const node of (await leftOf(made.own)).nodes) {
      const bytes = JSON.stringify(node, (_key, value: unknown) =>
        typeof value === 'bigint' ? `${value}n` : value,
      );
      const before = settledBytes.get(node.messageId);
      expect(bytes).toBe(before ?? bytes);
      settledBytes.set(node.messageId, bytes);
    }
  };
  const nextWord = (): string => `w${sent.length}`;

  for (const each of happenings) {
    switch (each.type) {
      case 'mail': {
        const word = nextWord();
        sent.push({ from: each.from, what: each.what, word });
        const { [each.from]: person } = made.people;
        await person?.send(['hob'], textParcel(`${each.what} ${word}`));
        break;
      }
      case 'reply': {
        const { [each.from]: person } = made.people;
        const texts = person === undefined ? [] : await fromAgent(made, person);
        const last = texts.findLast(({ type }) => type === 'package');
        if (last === undefined) break;
        const word = nextWord();
        sent.push({ from: each.from, what: 'reply', word });
        await person?.reply(last.number, textParcel(`reply ${word}`));
        break;
      }
      case 'decide': {
        const [first] = await openReviews(made);
        if (first === undefined) break;
        if (each.how === 'reject') await made.host.reject(first.number, 'no');
        else await deciding(made.world.host).grant(first.number);
        break;
      }
      case 'kill': {
        agent.kill();
        agent = await made.start({ at: each.at, side: each.side });
        await untilQuiet(agent);
        if (agent.isDead()) agent = await made.start();
        break;
      }
      case 'wait':
        await untilQuiet(agent);
        break;
    }
    await checkNodes();
  }
  agent.kill();
  agent = await made.start();
  await untilQuiet(agent);
  for (const { number } of await openReviews(made)) {
    await made.host.reject(number, 'over');
  }
  await untilQuiet(agent);
  await checkNodes();
  return { made, sent };
};

const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('mail' as const),
      from: fc.constantFrom('host' as const, 'bob' as const),
      what: fc.constantFrom<What>('plain', 'store', 'tell', 'propose'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('reply' as const),
      from: fc.constantFrom('host' as const, 'bob' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('decide' as const),
      how: fc.constantFrom('grant' as const, 'reject' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('kill' as const),
      at: fc.nat({ max: 70 }),
      side: fc.constantFrom('before' as const, 'after' as const),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ type: 'wait' as const }) },
);

const counted = (texts: readonly string[]) =>
  texts.toSorted().filter((text) => !text.startsWith('[hob notice]'));

it('loses, doubles and mixes up nothing, whatever happens and whenever it is killed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(happening, { minLength: 1, maxLength: 10 }),
      async (happenings) => {
        const { made, sent } = await play(happenings);
        const { host, bob } = made.people;
        if (host === undefined || bob === undefined) throw Error('Nobody');
        const ofHost = sent.filter(({ from }) => from === 'host');
        const proposed = ofHost.filter(({ what }) => what === 'propose');
        // Each message has one answer, and each proposal one outcome.
        expect(counted(textsOf(await fromAgent(made, host)))).toEqual(
          [
            ...ofHost.map(({ word }) => `Done ${word}.`),
            ...proposed.map(({ word }) => `Outcome of ${word}.`),
          ].toSorted(),
        );
        expect(counted(textsOf(await fromAgent(made, bob)))).toEqual(
          sent
            .filter(({ from }) => from === 'bob')
            .map(({ word }) => `Done ${word}.`)
            .toSorted(),
        );
        const told = ofHost.filter(({ what }) => what === 'tell');
        expect(textsOf(await fromAgent(made, made.carol))).toEqual(
          told.map(() => 'Hello'),
        );
        // Nothing is left of what is over, and every chain is whole.
        const { entries, open, nodes, unknown } = await leftOf(made.own);
        expect({ entries, open, unknown }).toEqual({
          ...{ entries: 0, open: 0, unknown: 0 },
        });
        const known = new Set(nodes.map(({ messageId }) => messageId));
        for (const { parentMessageId } of nodes) {
          expect(parentMessageId === null || known.has(parentMessageId)).toBe(
            true,
          );
        }
        // Nobody's conversation holds a word of another's.
        for (const { messages } of made.requests) {
          const text = JSON.stringify(messages.slice(1));
          const isHosts = text.includes('from HOST');
          const others = sent.filter(
            ({ from }) => from === (isHosts ? 'bob' : 'host'),
          );
          for (const { word } of others) expect(text).not.toContain(`${word}"`);
        }
      },
    ),
    { numRuns: 60 },
  );
});
