import { type Agent, makeAgent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/events.ts';
import { type Env, parseConfig } from '../../src/config.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import type { ChatModel } from '../../src/model/chat.ts';
import { type FakeGuest, type FakeWorld, makeFakeWorld } from './fake-guest.ts';
import { type Person, makePerson } from './person.ts';

export type Timer = { readonly delayMs: number; readonly fire: () => void };

export type AgentWorld = {
  readonly world: FakeWorld;
  /** The guest that the agent runs on. */
  readonly hob: FakeGuest;
  readonly agent: Agent;
  readonly host: Person;
  readonly events: readonly AgentEvent[];
  /** Resolves with the first event, past or to come, that the test accepts. */
  readonly event: <T extends AgentEvent['type']>(
    type: T,
  ) => Promise<Extract<AgentEvent, { type: T }>>;
  /** Timers that run, by hand: a test fires them. */
  readonly timers: ReadonlySet<Timer>;
  /** Another agent on the same guest. */
  readonly startSecond: (model: ChatModel) => Promise<Agent>;
  /** Resolves when the turn for this message is over. */
  readonly settled: (messageId: string) => Promise<string>;
};

let clock = 1_000_000;

/** The real agent on a fake guest `hob`, with time in the test's hand. */
export const makeAgentWorld = async ({
  model,
  env = {},
  now = () => clock,
  strict = true,
  introduced = () => Promise.resolve(),
}: {
  readonly model: ChatModel;
  readonly env?: Env;
  readonly now?: () => number;
  /** Without the weak points of Endo's own daemon. */
  readonly strict?: boolean;
  /** Called before the agent starts: whom it knows from the beginning. */
  readonly introduced?: (world: FakeWorld, hob: FakeGuest) => Promise<void>;
}): Promise<AgentWorld> => {
  clock += 1;
  const world = makeFakeWorld({ strict });
  const hob = await world.makeGuest('hob');
  await introduced(world, hob);
  const host = await makePerson(world.host);
  const events: AgentEvent[] = [];
  const watchers = new Set<(event: AgentEvent) => void>();
  const timers = new Set<Timer>();
  let ids = 0;

  const startAgent = async (withModel: ChatModel): Promise<Agent> =>
    makeAgent({
      guest: await connectGuest(hob.powers),
      model: withModel,
      config: parseConfig(env),
      now,
      startTimer: (delayMs, fire) => {
        const timer: Timer = { delayMs, fire };
        timers.add(timer);
        return () => timers.delete(timer);
      },
      makeId: () => {
        ids += 1;
        return `id-${ids}`;
      },
      onEvent: (event) => {
        events.push(event);
        for (const watch of watchers) watch(event);
      },
    });

  const agent = await startAgent(model);
  await agent.started;
  hob.control.resetCalls();

  return {
    world,
    hob,
    agent,
    host,
    events,
    timers,
    event: <T extends AgentEvent['type']>(type: T) =>
      new Promise<Extract<AgentEvent, { type: T }>>((resolve) => {
        type Wanted = Extract<AgentEvent, { type: T }>;
        const isWanted = (event: AgentEvent): event is Wanted =>
          event.type === type;
        const past = events.find(isWanted);
        if (past !== undefined) {
          resolve(past);
          return;
        }
        const watch = (event: AgentEvent): void => {
          if (!isWanted(event)) return;
          watchers.delete(watch);
          resolve(event);
        };
        watchers.add(watch);
      }),
    startSecond: async (second) => {
      const other = await startAgent(second);
      await other.started;
      return other;
    },
    settled: (messageId) => agent.whenSettled(messageId),
  };
};
