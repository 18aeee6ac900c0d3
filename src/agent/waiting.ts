import { type PromiseKit, makePromiseKit } from '@endo/promise-kit';
import type { SettledOutcome } from './events.ts';

/** How many outcomes are remembered for those who ask late. */
const REMEMBERED = 1000;

/** Lets a client wait until the turn that answers its message has ended. */
export type Waiting = {
  readonly settled: (messageId: string, outcome: SettledOutcome) => void;
  /**
   * The outcome, when it comes. `isOpen` is asked when this incarnation has
   * not met the message: what is in the inbox no more has been settled.
   */
  readonly outcomeOf: (
    messageId: string,
    isOpen: () => Promise<boolean>,
  ) => Promise<SettledOutcome>;
  readonly stop: (reason: Error) => void;
};

export const makeWaiting = (): Waiting => {
  const outcomes = new Map<string, SettledOutcome>();
  const waiters = new Map<string, PromiseKit<SettledOutcome>>();
  let stopped: Error | undefined;

  const waiterFor = (messageId: string): PromiseKit<SettledOutcome> => {
    const present = waiters.get(messageId);
    if (present !== undefined) return present;
    const kit = makePromiseKit<SettledOutcome>();
    kit.promise.catch(() => {
      // Told to whoever awaits it; nobody need.
    });
    waiters.set(messageId, kit);
    return kit;
  };

  const settled = (messageId: string, outcome: SettledOutcome): void => {
    outcomes.set(messageId, outcome);
    const oldest = outcomes.keys().next().value;
    if (outcomes.size > REMEMBERED && oldest !== undefined) {
      outcomes.delete(oldest);
    }
    waiters.get(messageId)?.resolve(outcome);
    waiters.delete(messageId);
  };

  return harden({
    settled,
    outcomeOf: async (messageId: string, isOpen: () => Promise<boolean>) => {
      if (stopped !== undefined) throw stopped;
      const known = outcomes.get(messageId);
      if (known !== undefined) return known;
      const { promise } = waiterFor(messageId);
      const isGone = !(await isOpen());
      if (isGone && !outcomes.has(messageId)) settled(messageId, 'answered');
      return promise;
    },
    stop: (reason: Error) => {
      stopped = reason;
      for (const { reject } of waiters.values()) reject(reason);
      waiters.clear();
    },
  });
};
harden(makeWaiting);
