import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';
import type { FormulaId } from '../formula/formula.ts';
import type { Outcome, PromiseStore } from '../store/promises.ts';
import { makeWeakPromises } from './weak-promises.ts';

type Settled = Exclude<Outcome, { status: 'pending' }>;

/** Live promises for the durable ones. */
export type Settlements = {
  /** Fulfils when the outcome is known. Never rejects. */
  readonly outcomeOf: (promise: FormulaId) => Promise<Settled>;
  /** The same in a word, for readers that may come and go. */
  readonly statusOf: (promise: FormulaId) => Promise<Settled['status']>;
  /**
   * The value, or a rejection with the reason, for such readers. Reading runs
   * no code.
   */
  readonly resultOf: (promise: FormulaId) => Promise<unknown>;
  /** To be called after the commit of an outcome. */
  readonly announce: (promise: FormulaId) => void;
};

export type SettlementPowers = {
  readonly promises: PromiseStore;
  readonly onCollected: (listener: (id: FormulaId) => void) => void;
  /** The value, as far as it is to be had without running code. */
  readonly provideAtRest: (id: FormulaId) => Promise<unknown>;
};

/** Said of a question whose answer cannot come any more. */
export const UNANSWERED = 'dismissed without an answer';
harden(UNANSWERED);

const DROPPED: Settled = harden({ status: 'rejected', reason: UNANSWERED });

export const makeSettlements = ({
  promises,
  onCollected,
  provideAtRest,
}: SettlementPowers): Settlements => {
  const waiting = new Map<FormulaId, PromiseKit<Settled>>();
  const statuses = makeWeakPromises<Settled['status']>();
  const results = makeWeakPromises<unknown>();

  const provideResult = (outcome: Settled): Promise<unknown> => {
    const result =
      outcome.status === 'fulfilled'
        ? provideAtRest(outcome.value)
        : Promise.reject(Error(outcome.reason));
    // A reader may never look at it.
    result.catch(() => undefined);
    return result;
  };

  const settle = (promise: FormulaId, outcome: Settled): void => {
    const kit = waiting.get(promise);
    waiting.delete(promise);
    kit?.resolve(outcome);
    statuses.settle(promise, () => outcome.status);
    results.settle(promise, () => provideResult(outcome));
  };

  onCollected((id) => settle(id, DROPPED));

  const current = (promise: FormulaId): Outcome =>
    promises.outcome(promise) ?? DROPPED;

  return harden({
    outcomeOf: (promise) => {
      const outcome = current(promise);
      if (outcome.status !== 'pending') return Promise.resolve(outcome);
      const kit = waiting.get(promise) ?? makePromiseKit<Settled>();
      waiting.set(promise, kit);
      return kit.promise;
    },
    statusOf: (promise) => {
      const { status } = current(promise);
      return status === 'pending'
        ? statuses.provide(promise)
        : Promise.resolve(status);
    },
    resultOf: (promise) => {
      const outcome = current(promise);
      return outcome.status === 'pending'
        ? results.provide(promise)
        : provideResult(outcome);
    },
    announce: (promise) => {
      const outcome = promises.outcome(promise);
      if (outcome !== undefined && outcome.status !== 'pending')
        settle(promise, outcome);
    },
  });
};
harden(makeSettlements);
