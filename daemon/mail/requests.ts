import type { FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { pathFrom } from '../name/pet-name.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';
import type { PromiseStore } from '../store/promises.ts';
import type { PostOffice } from './post-office.ts';
import type { Settlements } from './settlements.ts';

/** Questions that are answered with a value, also after a restart. */
export type Requests = {
  /** Waits for the answer. Rejects with the reason when it is refused. */
  readonly request: (
    agent: FormulaId,
    to: NameOrPath,
    description: string,
    responseName: NameOrPath | undefined,
  ) => Promise<unknown>;
  readonly resolve: (
    agent: FormulaId,
    number: bigint,
    nameOrPath: NameOrPath,
  ) => void;
  readonly reject: (agent: FormulaId, number: bigint, reason: string) => void;
  /** By the holder of a resolver. */
  readonly fulfill: (promise: FormulaId, value: FormulaId) => void;
  readonly refuse: (promise: FormulaId, reason: string) => void;
};

export type RequestPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly promises: PromiseStore;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly office: PostOffice;
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

const makeSettling = (powers: RequestPowers) => {
  const { database, formulas, promises, hubs, settlements, log } = powers;

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
        `the answer to a request could not be named: ${(error as Error).message}`,
      );
    }
  };

  const fulfill = (promise: FormulaId, value: FormulaId): void =>
    database.transact(() => {
      assertPending(promise);
      hubs.typeOf(value);
      assertNoCircle(promise, value);
      promises.fulfill(promise, value);
      formulas.depend(promise, value);
      nameResponse(promise, value);
      database.afterCommit(() => settlements.announce(promise));
    });

  const refuse = (promise: FormulaId, reason: string): void =>
    database.transact(() => {
      assertPending(promise);
      promises.reject(promise, reason);
      database.afterCommit(() => settlements.announce(promise));
    });

  return { fulfill, refuse };
};

export const makeRequests = (
  powers: RequestPowers,
  providePromise: (promise: FormulaId) => Promise<unknown>,
): Requests => {
  const { database, formulas, promises, hubs, ids, office } = powers;
  const { fulfill, refuse } = makeSettling(powers);

  const promiseOf = (agent: FormulaId, number: bigint): FormulaId => {
    const message: NumberedMessage = office.requireMessage(agent, number);
    const { promiseId } = message.body;
    if (message.type !== 'request' || typeof promiseId !== 'string') {
      throw Error(
        `Message ${number} asks for nothing: it is a ${message.type}, and not a request`,
      );
    }
    if (message.to !== office.handleOf(agent)) {
      throw Error(
        `Message ${number} is a request to somebody else, who alone can answer it`,
      );
    }
    return promiseId;
  };

  return harden({
    fulfill,
    refuse,
    request: (agent, to, description, responseName) => {
      const promiseId = ids.makeFormulaId();
      const resolverId = ids.makeFormulaId();
      database.transact(() => {
        const from = office.handleOf(agent);
        const recipient = office.recipient(agent, to);
        const path =
          responseName === undefined ? undefined : pathFrom(responseName);
        if (path !== undefined) hubs.writablePlace(agent, path);
        formulas.put(promiseId, harden({ type: 'promise' }));
        formulas.put(
          resolverId,
          harden({ type: 'resolver', promise: promiseId }),
        );
        promises.put(
          promiseId,
          path === undefined ? undefined : { asker: agent, path },
        );
        const body = { description, promiseId, resolverId };
        office.post({
          type: 'request',
          from,
          to: recipient,
          body,
          values: [promiseId, resolverId],
        });
      });
      return providePromise(promiseId);
    },
    resolve: (agent, number, nameOrPath) =>
      database.transact(() => {
        const promise = promiseOf(agent, number);
        fulfill(promise, hubs.require(agent, pathFrom(nameOrPath)));
      }),
    reject: (agent, number, reason) => refuse(promiseOf(agent, number), reason),
  });
};
harden(makeRequests);
