import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Mail } from '../../src/endo/guest.ts';
import type { Reply, Script } from '../support/openai-server.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import { textOf } from '../support/person.ts';
import {
  type OtherAgent,
  introduce,
  setUpAgent,
} from '../support/second-agent.ts';
import { type System, startSystem } from '../support/system.ts';
import { type Told, readTold } from '../support/told-model.ts';

/** Of each agent, in one conversation with the other. */
const MOST = 3;

type Doing = (told: Told) => Reply;

/** What both models do now. */
let begin: (to: string) => Reply;
let then: Doing;

/** The HOST's word names whom to begin with; whoever else writes is answered. */
const doAlways: Script = ({ body }) => {
  const told = readTold(body);
  if (told.from !== 'HOST') return then(told);
  const [, to = ''] = told.text.split(' ');
  return told.results.length === 0 ? begin(to) : { text: 'Begun.' };
};

/** Two agents that know each other as "puck" and "robin". */
type Pair = {
  readonly system: System;
  readonly agents: readonly OtherAgent[];
  /** Calls of both models so far. */
  readonly calls: () => number;
  readonly stop: () => Promise<void>;
};

const startPair = async (isOpen: boolean): Promise<Pair> => {
  const limits = { LAL_MAX_EXCHANGES: String(MOST) };
  const system = await startSystem(doAlways, limits);
  const server = await startOpenAiServer(doAlways);
  const settings = { LAL_HOST: server.url, LAL_MODEL: 'scripted', ...limits };
  await setUpAgent(system, 'puck', settings);
  await introduce(system, 'hob', 'puck');
  await introduce(system, 'puck', 'hob', 'robin');
  // Whom LAL_OPEN names has to be known by then.
  const agents = [
    await setUpAgent(system, 'hob', isOpen ? { LAL_OPEN: 'puck' } : {}),
    await setUpAgent(system, 'puck', isOpen ? { LAL_OPEN: 'robin' } : {}),
  ];
  return {
    system,
    agents,
    calls: () => system.server.requests.length + server.requests.length,
    stop: async () => {
      await system.stop();
      await server.close();
    },
  };
};

/**
 * Neither works, and nothing but what is undecided lies with either, the same
 * over two rounds.
 */
const isQuiet = async ({ system, agents, calls }: Pair): Promise<boolean> => {
  const before = calls();
  const round = async (): Promise<string | undefined> => {
    const lying: string[] = [];
    for (const { guest, controller } of agents) {
      const mail = await guest.listMessages();
      const isLively = ({ type, from }: Mail): boolean =>
        type === 'package' && from !== system.host.id;
      if (mail.some(isLively)) return undefined;
      if ((await E(controller).status()).openTurns > 0n) return undefined;
      lying.push(...mail.map(({ messageId }) => messageId));
    }
    return lying.join();
  };
  const first = await round();
  const second = await round();
  return first !== undefined && first === second && calls() === before;
};

/** Resolves when the two have come to an end; fails when they go on and on. */
const untilQuiet = async (pair: Pair, most: number): Promise<void> => {
  while (!(await isQuiet(pair))) expect(pair.calls()).toBeLessThan(most);
};

/** What came to the HOST, as texts. */
const toldHost = async ({
  system: { host },
}: Pair): Promise<readonly string[]> =>
  (await host.port.listMessages())
    .filter(({ type, from }) => type === 'package' && from !== host.id)
    .map(textOf);

/** The two are left alone; what that cost, and what the HOST was told. */
const leaveAlone = async (
  pair: Pair,
  ...words: readonly (readonly [to: string, text: string])[]
): Promise<{ readonly calls: number; readonly told: readonly string[] }> => {
  const calls = pair.calls();
  const told = (await toldHost(pair)).length;
  const [hob, puck] = pair.agents;
  for (const [to, text] of words) {
    const { messageId } = await pair.system.host.send(to, text);
    const controller = (to === 'hob' ? hob : puck)?.controller;
    if (controller === undefined) throw Error(`Nobody is called ${to}`);
    await E(controller).whenSettled(messageId);
  }
  await untilQuiet(pair, calls + 50);
  return {
    calls: pair.calls() - calls,
    told: (await toldHost(pair)).slice(told),
  };
};

const call = (name: string, args: object): Reply => ({
  toolCalls: [{ name, args }],
});

const write = (recipientName: string): Reply =>
  call('send', { recipientName, strings: ['Hello!'] });
const request = (recipientName: string): Reply =>
  call('request', { recipientName, description: 'a pen' });
const sender = ({ from }: Told): string => from.replaceAll('"', '');

const answerOnce: Doing = ({ text }) => ({ text: `And what is ${text}?` });
const answerTwice: Doing = ({ number: messageNumber, results }) => {
  const calls = ['I think of it.', 'What is it to you?'].map((text) => ({
    name: 'reply',
    args: { messageNumber, strings: [text] },
  }));
  return results.length === 0 ? { toolCalls: calls } : {};
};
const writeAnew: Doing = (told) =>
  told.results.length === 0 ? write(sender(told)) : { text: 'I wrote to you.' };
const requestBack: Doing = (told) =>
  told.results.length === 0 ? request(sender(told)) : { text: 'I asked you.' };
const die: Doing = () => ({ status: 401, error: 'no such key' });

/** What the HOST has one of them do, and the calls that this alone takes. */
const BEGUN = 2;

const LIMIT = /LAL_MAX_EXCHANGES/u;

describe.each([
  { who: 'strangers to each other', isOpen: false },
  { who: 'whom the HOST has opened to each other', isOpen: true },
])('two agents, $who, left alone,', ({ isOpen }) => {
  let pair: Pair;
  beforeAll(async () => {
    pair = await startPair(isOpen);
  });
  afterAll(() => pair.stop());

  it.each([
    { how: 'answer each other', first: write, next: answerOnce, steps: 1 },
    { how: 'write anew each time', first: write, next: writeAnew, steps: 2 },
    { how: 'ask back each time', first: request, next: requestBack, steps: 2 },
  ])(
    'that $how stop, and the HOST is told once',
    async ({ first, next, steps }) => {
      [begin, then] = [first, next];
      const { calls, told } = await leaveAlone(pair, [
        'hob',
        'begin-with puck',
      ]);
      // Each answers as often as it may in one conversation.
      expect(calls).toBe(BEGUN + 2 * MOST * steps);
      expect(told.filter((text) => LIMIT.test(text))).toEqual([
        expect.stringContaining(`answered "robin" ${MOST} times`),
      ]);
    },
  );

  it('that send two answers each time stop, though each is answered', async () => {
    [begin, then] = [write, answerTwice];
    const { calls, told } = await leaveAlone(pair, ['hob', 'begin-with puck']);
    // The one counts its turns, whichever message they answer; the other gets
    // two conversations for each. Without a count they would double each time.
    expect(calls).toBeLessThanOrEqual(BEGUN + 3 * MOST * 2);
    expect(told.some((text) => LIMIT.test(text))).toBe(true);
  });

  it('with dead models tell each other so once, and stop', async () => {
    [begin, then] = [write, die];
    const { calls, told } = await leaveAlone(
      pair,
      ['hob', 'begin-with puck'],
      ['puck', 'begin-with robin'],
    );
    // Each is asked once by the other, and neither answers the other's notice.
    expect(calls).toBe(2 * (BEGUN + 1));
    expect(told).toEqual(['Begun.', 'Begun.']);
  });

  it('hear their HOST as before, who can begin anew', async () => {
    [begin, then] = [write, answerOnce];
    for (const words of [
      ['hob', 'begin-with puck'],
      ['puck', 'begin-with robin'],
    ] as const) {
      const { calls, told } = await leaveAlone(pair, words);
      expect(calls).toBe(BEGUN + 2 * MOST);
      expect(told).toContain('Begun.');
    }
  });
});
