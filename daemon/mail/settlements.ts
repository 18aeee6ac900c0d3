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
  /** To be called after the commit of an outcome. */
  readonly announce: (promise: FormulaId) => void;
};

export type SettlementPowers = {
  readonly promises: PromiseStore;
  readonly onCollected: (listener: (id: FormulaId) => void) => void;
};

const DROPPED: Settled = harden({
  status: 'rejected',
  reason: 'the request was dismissed without an answer',
});

export const makeSettlements = ({
  promises,
  onCollected,
}: SettlementPowers): Settlements => {
  const waiting = new Map<FormulaId, PromiseKit<Settled>>();
  const statuses = makeWeakPromises<Settled['status']>();

  const settle = (promise: FormulaId, outcome: Settled): void => {
    const kit = waiting.get(promise);
    waiting.delete(promise);
    kit?.resolve(outcome);
    statuses.settle(promise, outcome.status);
  };

  onCollected((id) => settle(id, DROPPED));

  return harden({
    outcomeOf: (promise) => {
      const outcome = promises.outcome(promise) ?? DROPPED;
      if (outcome.status !== 'pending') return Promise.resolve(outcome);
      const kit = waiting.get(promise) ?? makePromiseKit<Settled>();
      waiting.set(promise, kit);
      return kit.promise;
    },
    statusOf: (promise) => {
      const { status } = promises.outcome(promise) ?? DROPPED;
      return status === 'pending'
        ? statuses.provide(promise)
        : Promise.resolve(status);
    },
    announce: (promise) => {
      const outcome = promises.outcome(promise);
      if (outcome !== undefined && outcome.status !== 'pending')
        settle(promise, outcome);
    },
  });
};
harden(makeSettlements);
