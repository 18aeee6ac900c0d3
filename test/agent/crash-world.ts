import { type Agent, makeAgent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/events.ts';
import { parseConfig } from '../../src/config.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest, Mail } from '../../src/endo/guest.ts';
import type {
  ChatAnswer,
  ChatModel,
  ChatRequest,
} from '../../src/model/chat.ts';
import { INTERRUPTED } from '../../src/transcript/repair.ts';
import { parseEntry } from '../../src/transcript/entry.ts';
import { sortNames, entryName, nodeName } from '../../src/transcript/names.ts';
import { parseNode } from '../../src/transcript/node.ts';
import {
  type FakeGuest,
  type FakeWorld,
  makeFakeWorld,
} from '../support/fake-guest.ts';
import {
  type Death,
  type KillableGuest,
  makeKillableGuest,
} from '../support/killable-guest.ts';

/** Lets everything happen that waits for nothing but its turn. */
export const pause = (): Promise<void> =>
  new Promise((resolve) => setImmediate(resolve));

export type Incarnation = KillableGuest & { readonly agent: Agent };

export type CrashWorld = {
  readonly world: FakeWorld;
  readonly hob: FakeGuest;
  /** The agent's guest, as nobody kills it. */
  readonly own: Guest;
  readonly host: Guest;
  readonly events: readonly AgentEvent[];
  readonly requests: readonly ChatRequest[];
  readonly start: (death?: Death) => Promise<Incarnation>;
  /** Resolves when it has died, or has nothing more to do. */
  readonly untilOver: (
    incarnation: Incarnation,
    isOver: () => Promise<boolean>,
  ) => Promise<void>;
  /** Answers of the model that are on record, by the turn's first words. */
  readonly journaledAnswers: () => Promise<number>;
};

/** What the model says at its `step`-th call of this turn. */
export type Script = (turn: string, step: number) => ChatAnswer;

/** The messages of the turn that a request is of. */
const stepOf = ({ messages }: ChatRequest): readonly [string, number] => {
  const from = messages.findLastIndex(
    ({ role, content }) =>
      role === 'user' && !content.startsWith('You ended without'),
  );
  const turn = messages[from]?.content ?? '';
  const answers = messages
    .slice(from)
    .filter(({ role }) => role === 'assistant');
  return [turn, answers.length];
};

export const makeCrashWorld = async (
  script: Script,
  { strict = true }: { readonly strict?: boolean } = {},
): Promise<CrashWorld> => {
  const world = makeFakeWorld({ strict });
  const hob = await world.makeGuest('hob');
  const own = makeGenerationAGuest(hob.powers);
  const events: AgentEvent[] = [];
  const requests: ChatRequest[] = [];
  let ids = 0;

  const start = async (death?: Death): Promise<Incarnation> => {
    const killable = makeKillableGuest(await connectGuest(hob.powers), death);
    const model: ChatModel = harden({
      provider: 'scripted',
      model: 'scripted',
      chat: (request: ChatRequest) => {
        if (killable.isDead()) return new Promise<never>(() => undefined);
        requests.push(request);
        return Promise.resolve(script(...stepOf(request)));
      },
    });
    const agent = makeAgent({
      guest: killable.guest,
      model,
      config: parseConfig({}),
      now: () => 0,
      startTimer: () => () => undefined,
      makeId: () => {
        ids += 1;
        return `id-${ids}`;
      },
      onEvent: (event) => {
        if (!killable.isDead()) events.push(event);
      },
    });
    agent.started.catch(() => undefined);
    return { ...killable, agent };
  };

  const journaledAnswers = async (): Promise<number> => {
    const { entries, nodes } = sortNames(await own.list([]));
    let answers = 0;
    for (const [messageId, indices] of entries) {
      if (nodes.has(messageId)) continue;
      for (const index of indices) {
        const name = entryName(messageId, index);
        const records = parseEntry(name, await own.lookup([name]));
        answers += records.filter(({ type }) => type === 'answer').length;
      }
    }
    for (const messageId of nodes) {
      const name = nodeName(messageId);
      const { messages } = parseNode(name, await own.lookup([name]));
      answers += messages.filter(({ role }) => role === 'assistant').length;
    }
    return answers;
  };

  return {
    ...{ world, hob, own, events, requests, start, journaledAnswers },
    host: makeGenerationAGuest(world.host),
    untilOver: async ({ isDead }, isOver) => {
      for (let count = 0; count < 400; count += 1) {
        if (isDead() || (await isOver())) return;
        await pause();
      }
      const last = events
        .slice(-4)
        .map((event) =>
          event.type === 'trouble'
            ? `${event.during}: ${String(event.cause)}`
            : event.type,
        );
      const names = (await own.list([])).filter((name) => /-/u.test(name));
      throw Error(
        `It does not come to an end after ${last.join('; ')}. There is ${names.join(' ')}`,
      );
    },
  };
};

/** Nothing is under way any more, or the agent is dead. */
export const untilQuiet = async (agent: Incarnation): Promise<void> => {
  let quiet = 0;
  let seen = -1;
  for (let count = 0; count < 500 && quiet < 8; count += 1) {
    await pause();
    quiet = agent.calls.length === seen ? quiet + 1 : 0;
    seen = agent.calls.length;
    if (agent.isDead()) return;
  }
};

/** What is left of turns that are not over, and of results that are unknown. */
export const leftOf = async (own: Guest) => {
  const names = await own.list([]);
  const stored = sortNames(names);
  const nodes = await Promise.all(
    [...stored.nodes].map(async (messageId) => {
      const name = nodeName(messageId);
      return parseNode(name, await own.lookup([name]));
    }),
  );
  const results = nodes.flatMap(({ messages }) =>
    messages.filter(({ role }) => role === 'tool'),
  );
  return {
    entries: stored.entries.size,
    open: names.filter((name) => name.startsWith('hob-open-')).length,
    nodes,
    unknown: results.filter(({ content }) => content === INTERRUPTED).length,
    errors: results
      .filter((each) => each.role === 'tool' && each.isError)
      .map(({ content }) => content),
  };
};

export const textsOf = (mail: readonly Mail[]): readonly string[] =>
  mail.flatMap((each) =>
    each.type === 'package'
      ? [each.strings.join('@').replace(/^\[depth:\d+\] /u, '')]
      : [],
  );
