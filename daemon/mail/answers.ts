import type { FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import type { PromiseStore, ResponseTarget } from '../store/promises.ts';
import type { Settlements } from './settlements.ts';

export type Question = {
  readonly promiseId: FormulaId;
  /** Its holder can settle the promise. */
  readonly resolverId: FormulaId;
};

/**
 * What was asked by mail and is answered some day, also after a restart: a
 * request for a value, a proposal of code. Each call is one transaction.
 */
export type Answers = {
  readonly open: (target: ResponseTarget | undefined) => Question;
  /** Throws in words when it was answered already. Names the value where the asker wants it. */
  readonly fulfill: (promise: FormulaId, value: FormulaId) => void;
  readonly refuse: (promise: FormulaId, reason: string) => void;
};

export type AnswerPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly promises: PromiseStore;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly settlements: Settlements;
  readonly log: (line: string) => void;
};

/** The value of a durable promise, once it is known. */
export const makeProvidePromise =
  (settlements: Settlements, provide: Incarnator['provide']) =>
  async (promise: FormulaId): Promise<unknown> => {
    const outcome = await settlements.outcomeOf(promise);
    if (outcome.status === 'rejected') throw Error(outcome.reason);
    return provide(outcome.value);
  };
harden(makeProvidePromise);

export const makeAnswers = (powers: AnswerPowers): Answers => {
  const { database, formulas, promises, hubs, ids, settlements, log } = powers;

  const assertPending = (promise: FormulaId): void => {
    const outcome = promises.outcome(promise);
    if (outcome === undefined) throw Error('This request no longer exists');
    if (outcome.status !== 'pending')
      throw Error(`This request was answered already: it is ${outcome.status}`);
  };

  const assertNoCircle = (promise: FormulaId, value: FormulaId): void => {
    if (value === promise)
      throw Error('A request cannot be answered with its own promise');
    const outcome = promises.outcome(value);
    if (outcome?.status === 'fulfilled') assertNoCircle(promise, outcome.value);
  };

  const nameResponse = (promise: FormulaId, value: FormulaId): void => {
    const target = promises.target(promise);
    if (target === undefined) return;
    try {
      hubs.bind(hubs.writablePlace(target.asker, target.path), value);
    } catch (error) {
      // The answer itself must not fail because its name has no place any more.
      log(
        `the answer to a request or proposal could not be named ${JSON.stringify(target.path.join('/'))}, and is delivered without that name: ${(error as Error).message}`,
      );
    }
  };

  return harden({
    open: (target) =>
      database.transact(() => {
        const promiseId = ids.makeFormulaId();
        const resolverId = ids.makeFormulaId();
        formulas.put(promiseId, harden({ type: 'promise' }));
        formulas.put(
          resolverId,
          harden({ type: 'resolver', promise: promiseId }),
        );
        promises.put(promiseId, target);
        return harden({ promiseId, resolverId });
      }),
    fulfill: (promise, value) =>
      database.transact(() => {
        assertPending(promise);
        hubs.typeOf(value);
        assertNoCircle(promise, value);
        promises.fulfill(promise, value);
        formulas.depend(promise, value);
        nameResponse(promise, value);
        database.afterCommit(() => settlements.announce(promise));
      }),
    refuse: (promise, reason) =>
      database.transact(() => {
        assertPending(promise);
        promises.reject(promise, reason);
        database.afterCommit(() => settlements.announce(promise));
      }),
  });
};
harden(makeAnswers);
