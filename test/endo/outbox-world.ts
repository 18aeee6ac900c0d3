import type { Draft } from '../../src/endo/draft.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import type { Guest, Mail, Parcel } from '../../src/endo/guest.ts';
import type { Intent } from '../../src/endo/intent.ts';
import { type Outbox, makeOutbox } from '../../src/endo/outbox.ts';
import {
  type FakeGuest,
  type FakeWorld,
  makeFakeWorld,
} from '../support/fake-guest.ts';

export type OutboxWorld = {
  readonly world: FakeWorld;
  readonly hob: FakeGuest;
  readonly guest: Guest;
  readonly host: Guest;
  readonly outbox: Outbox;
  /** What was made durable, in order. */
  readonly intents: readonly Intent[];
  readonly journal: (intent: Intent) => Promise<void>;
  /** From now on the mailbox is followed, and its own messages are shown. */
  readonly follow: () => void;
  /** What the outbox said of each own message that it was shown. */
  readonly observed: readonly { readonly mail: Mail; readonly ours: boolean }[];
  /** How many timers run. */
  readonly timers: () => number;
  /** The time of every timer that runs is over. */
  readonly timeIsOver: () => void;
  /** When set, each listing that was made waits for it before it is handed on. */
  hold: (() => Promise<void>) | undefined;
  /** Another incarnation, on the mail as it is. */
  readonly restart: () => Promise<Outbox>;
};

/** Lets everything happen that waits for nothing but its turn. */
export const settle = async (): Promise<void> => {
  for (let count = 0; count < 100; count += 1) await Promise.resolve();
};

export const text = (words: string): Parcel =>
  harden({ strings: [words], edgeNames: [], petNames: [] });

export const sendDraft = (
  words: string,
  key = 'call-1',
  recipient = 'HOST',
): Draft => harden({ type: 'send', key, to: [recipient], parcel: text(words) });

export const proposalDraft = (source: string): Draft =>
  harden({
    ...{ type: 'proposal', key: 'call-1', source },
    ...{ codeNames: [], petNames: [], resultName: undefined },
  });

export const requestDraft = (description: string, name: string): Draft =>
  harden({
    ...{ type: 'request', key: 'call-1', to: ['HOST'] },
    ...{ description, responseName: [name] },
  });

/** Answers the newest message that the guest has. */
export const replyDraft = (mail: Mail, words: string): Draft =>
  harden({
    ...{ type: 'reply', key: 'closing', answers: mail, to: mail.from },
    parcel: text(words),
  });

/** The outbox of a fake guest `hob`, with time in the test's hand. */
export const makeOutboxWorld = async ({
  assertMay = () => Promise.resolve(),
  strict = true,
}: {
  readonly assertMay?: () => Promise<void>;
  readonly strict?: boolean;
} = {}): Promise<OutboxWorld> => {
  const world = makeFakeWorld({ strict });
  const hob = await world.makeGuest('hob');
  const guest = await connectGuest(hob.powers);
  const identity = await guest.identity();
  const intents: Intent[] = [];
  const observed: { readonly mail: Mail; readonly ours: boolean }[] = [];
  const timers = new Set<() => void>();
  const held: Pick<OutboxWorld, 'hold'> = { hold: undefined };

  const restart = async (): Promise<Outbox> =>
    makeOutbox({
      guest: {
        ...guest,
        listMessages: async () => {
          const listed = await guest.listMessages();
          await held.hold?.();
          return listed;
        },
      },
      identity,
      present: await guest.listMessages(),
      assertMay,
      startTimer: (_delayMs, fire) => {
        const once = (): void => {
          timers.delete(once);
          fire();
        };
        timers.add(once);
        return () => timers.delete(once);
      },
    });
  const outbox = await restart();
  hob.control.resetCalls();

  const pump = async (): Promise<void> => {
    const messages = guest.followMessages();
    for (;;) {
      const { done, value } = await messages.next();
      if (done === true) return;
      if (value.from !== identity.self) continue;
      observed.push({ mail: value, ours: outbox.observe(value) });
    }
  };

  return Object.assign(held, {
    ...{ world, hob, guest, outbox, intents, observed, restart },
    host: await connectGuest(world.host),
    journal: (intent: Intent) => {
      intents.push(intent);
      return Promise.resolve();
    },
    follow: () => void pump(),
    timers: () => timers.size,
    timeIsOver: () => {
      for (const fire of [...timers]) fire();
    },
  });
};

/** What a promise rejects with. */
export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => Error('It did not reject'),
    (reason: unknown) => reason,
  );

export const numbersOf = (mail: readonly Mail[]): readonly bigint[] =>
  mail.map(({ number }) => number);
