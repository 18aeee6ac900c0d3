import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { pathFrom } from '../name/pet-name.ts';
import type { Database } from '../store/database.ts';
import type { Answers } from './answers.ts';
import type { PostOffice } from './post-office.ts';

/** Questions that are answered with a value, also after a restart. */
export type Requests = {
  /** Waits for the answer. Rejects with the reason when it is refused. */
  readonly request: (
    agent: FormulaId,
    to: NameOrPath,
    description: string,
    responseName: NameOrPath | undefined,
  ) => Promise<unknown>;
};

export type RequestPowers = {
  readonly database: Database;
  readonly hubs: NameHubs;
  readonly office: PostOffice;
  readonly answers: Answers;
  readonly providePromise: (promise: FormulaId) => Promise<unknown>;
};

export const makeRequests = (powers: RequestPowers): Requests => {
  const { database, hubs, office, answers, providePromise } = powers;
  return harden({
    request: (agent, to, description, responseName) => {
      const promiseId = database.transact(() => {
        const from = office.handleOf(agent);
        const recipient = office.recipient(agent, to);
        const path =
          responseName === undefined ? undefined : pathFrom(responseName);
        if (path !== undefined) hubs.writablePlace(agent, path);
        const question = answers.open(
          path === undefined ? undefined : { asker: agent, path },
        );
        office.post({
          type: 'request',
          from,
          to: recipient,
          body: { description, ...question },
          values: [question.promiseId, question.resolverId],
        });
        return question.promiseId;
      });
      return providePromise(promiseId);
    },
  });
};
harden(makeRequests);
