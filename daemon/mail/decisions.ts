import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { pathFrom } from '../name/pet-name.ts';
import type { Database } from '../store/database.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';
import type { PromiseStore } from '../store/promises.ts';
import type { ProposalRecord, ProposalStore } from '../store/proposals.ts';
import type { Answers } from './answers.ts';
import type { PostOffice } from './post-office.ts';
import { proposalOf, type ProposalBody } from './proposal-message.ts';
import { UNANSWERED } from './settlements.ts';

export type OpenProposal = {
  readonly message: NumberedMessage;
  readonly body: ProposalBody;
};

/** What the recipient of a request or proposal decides, in one place. */
export type Decisions = {
  /** Answers a request with a value. */
  readonly resolve: (
    agent: FormulaId,
    number: bigint,
    nameOrPath: NameOrPath,
  ) => void;
  /** Refuses a request or a proposal. */
  readonly reject: (agent: FormulaId, number: bigint, reason: string) => void;
  /** By the holder of a resolver. */
  readonly fulfill: (promise: FormulaId, value: FormulaId) => void;
  readonly refuse: (promise: FormulaId, reason: string) => void;
  /** A proposal that this agent has to decide. Throws in words when it is decided. */
  readonly requireOpen: (agent: FormulaId, number: bigint) => OpenProposal;
};

export type DecisionPowers = {
  readonly database: Database;
  readonly hubs: NameHubs;
  readonly office: PostOffice;
  readonly answers: Answers;
  readonly promises: PromiseStore;
  readonly proposals: ProposalStore;
};

const AGAIN = 'it is not run again; have it proposed anew';

const decided = ({ state, counteredBy = '' }: ProposalRecord): string => {
  switch (state) {
    case 'running':
      return 'was already granted, and its code is running';
    case 'granted':
      return `was already granted, and its code has run; ${AGAIN}`;
    case 'failed':
      return `was already granted, and its code failed; ${AGAIN}`;
    case 'lost':
      return `was already granted, and lost when the daemon was stopped while its code ran; ${AGAIN}`;
    case 'countered':
      return `was already countered, by message ${counteredBy}`;
    default:
      return `was already ${state}`;
  }
};

const assertOpen = (record: ProposalRecord | undefined, what: string): void => {
  if (record === undefined) throw Error(`${what} no longer exists`);
  if (record.state !== 'open') throw Error(`${what} ${decided(record)}`);
};

export const makeDecisions = (powers: DecisionPowers): Decisions => {
  const { database, hubs, office, answers, promises, proposals } = powers;

  const requireDecider = (agent: FormulaId, message: NumberedMessage): void => {
    if (message.to === office.handleOf(agent)) return;
    const what =
      proposalOf(message) === undefined ? 'a request' : 'a proposal of code';
    throw Error(
      `Message ${message.number} is ${what} to somebody else, who alone can answer it`,
    );
  };

  const refuse = (promise: FormulaId, reason: string): void =>
    database.transact(() => {
      const record = proposals.get(promise);
      if (record !== undefined) {
        assertOpen(record, 'This proposal');
        proposals.move(promise, 'rejected');
      }
      answers.refuse(promise, reason);
    });

  /** The promise that a message is about, when it is a question. */
  const questionOf = (message: NumberedMessage): FormulaId | undefined => {
    const { promiseId } = message.body;
    return (
      proposalOf(message)?.resultId ??
      (typeof promiseId === 'string' ? promiseId : undefined)
    );
  };

  office.beforeDismissed((handle, message) => {
    const promise = questionOf(message);
    if (promise === undefined || message.to !== handle) return;
    const isOpen =
      promises.outcome(promise)?.status === 'pending' &&
      (proposals.get(promise)?.state ?? 'open') === 'open';
    if (isOpen) refuse(promise, UNANSWERED);
  });

  return harden({
    refuse,
    fulfill: (promise, value) => {
      if (proposals.get(promise) !== undefined) {
        throw Error(
          'A proposal of code is not answered with a value: the HOST runs it by grantEvaluate, answers with other code by counterEvaluate, or refuses by reject',
        );
      }
      answers.fulfill(promise, value);
    },
    resolve: (agent, number, nameOrPath) =>
      database.transact(() => {
        const message = office.requireMessage(agent, number);
        const { promiseId } = message.body;
        if (message.type !== 'request' || typeof promiseId !== 'string') {
          throw Error(
            proposalOf(message) === undefined
              ? `Message ${number} asks for nothing: it is a ${message.type}, and not a request`
              : `Message ${number} asks for no value: it is a proposal of code. grantEvaluate runs it, counterEvaluate answers with other code, reject refuses it`,
          );
        }
        requireDecider(agent, message);
        answers.fulfill(promiseId, hubs.require(agent, pathFrom(nameOrPath)));
      }),
    reject: (agent, number, reason) =>
      database.transact(() => {
        const message = office.requireMessage(agent, number);
        const promise = questionOf(message);
        if (promise === undefined) {
          throw Error(
            `Message ${number} asks for nothing: it is a ${message.type}, and not a request or proposal`,
          );
        }
        requireDecider(agent, message);
        const record = proposals.get(promise);
        if (record !== undefined)
          assertOpen(record, `The proposal in message ${number}`);
        refuse(promise, reason);
      }),
    requireOpen: (agent, number) => {
      const message = office.requireMessage(agent, number);
      const body = proposalOf(message);
      if (body === undefined) {
        throw Error(
          `Message ${number} proposes no code: it is a ${message.type}`,
        );
      }
      requireDecider(agent, message);
      assertOpen(
        proposals.get(body.resultId),
        `The proposal in message ${number}`,
      );
      return harden({ message, body });
    },
  });
};
harden(makeDecisions);
