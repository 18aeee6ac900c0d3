import type { EvalFormula, FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { assertPetName, pathFrom } from '../name/pet-name.ts';
import type { Database } from '../store/database.ts';
import type { ProposalStore } from '../store/proposals.ts';
import type { Answers } from '../mail/answers.ts';
import type { Decisions } from '../mail/decisions.ts';
import type { PostOffice } from '../mail/post-office.ts';
import {
  edgeNamesFor,
  PROPOSAL,
  type ProposalBody,
} from '../mail/proposal-message.ts';
import { assertCode, type Code } from './code.ts';

/** Code that one agent asks another to run, and the answer of other code. */
export type Proposals = {
  /**
   * Puts code to the HOST of a guest. Nothing runs. The values are those that
   * the names stand for now. Waits for the result; rejects when the code is
   * not granted, or fails.
   */
  readonly propose: (
    guest: FormulaId,
    workerName: NameOrPath | undefined,
    code: Code,
    resultName: NameOrPath | undefined,
  ) => Promise<unknown>;
  /** Answers an open proposal with other code, which only its proposer can propose. */
  readonly counter: (
    host: FormulaId,
    number: bigint,
    workerName: NameOrPath | undefined,
    code: Code,
    resultName: NameOrPath | undefined,
  ) => void;
};

export type ProposalPowers = {
  readonly database: Database;
  readonly hubs: NameHubs;
  readonly office: PostOffice;
  readonly answers: Answers;
  readonly decisions: Decisions;
  readonly proposals: ProposalStore;
  readonly workerId: (
    agent: FormulaId,
    name: NameOrPath | undefined,
  ) => FormulaId;
  readonly providePromise: (promise: FormulaId) => Promise<unknown>;
};

type Letter = {
  readonly from: FormulaId;
  readonly to: FormulaId;
  readonly replyTo?: string;
  readonly worker?: FormulaId;
  readonly workerName: NameOrPath | undefined;
  readonly resultName: NameOrPath | undefined;
  /** Whether the result is to be named. A counter's never comes to be. */
  readonly namesResult: boolean;
};

/** The formula that a proposal asks to be run. */
export const codeOf = ({
  worker,
  source,
  codeNames,
  ids,
}: ProposalBody): EvalFormula | undefined =>
  worker === undefined
    ? undefined
    : harden({ type: 'eval', worker, source, names: codeNames, values: ids });
harden(codeOf);

const shortened = (name: NameOrPath): string | readonly string[] => {
  const path = pathFrom(name);
  const [only = ''] = path;
  return path.length === 1 ? only : path;
};

export const makeProposals = (powers: ProposalPowers): Proposals => {
  const { database, hubs, office, answers, decisions, proposals, workerId } =
    powers;

  /** Writes and posts it. `agent` is the one whose names the code is bound to. */
  const post = (agent: FormulaId, code: Code, letter: Letter) => {
    const { from, to, worker, workerName, namesResult } = letter;
    assertCode(code);
    const petNamePaths = code.petNames.map(pathFrom);
    const ids = petNamePaths.map((path) => hubs.require(agent, path));
    const resultName =
      letter.resultName === undefined ? undefined : pathFrom(letter.resultName);
    if (resultName !== undefined) assertPetName(resultName.at(-1) ?? '');
    if (resultName !== undefined && namesResult)
      hubs.writablePlace(agent, resultName);
    const { promiseId, resolverId } = answers.open(
      resultName === undefined || !namesResult
        ? undefined
        : { asker: agent, path: resultName },
    );
    proposals.put(promiseId);
    const body: ProposalBody = {
      source: code.source,
      codeNames: code.codeNames,
      petNamePaths,
      edgeNames: edgeNamesFor(petNamePaths),
      ids,
      ...(workerName === undefined
        ? {}
        : { workerName: shortened(workerName) }),
      ...(resultName === undefined ? {} : { resultName }),
      ...(worker === undefined ? {} : { worker }),
      resultId: promiseId,
      resolverId,
    };
    const messageId = office.post({
      type: PROPOSAL,
      from,
      to,
      ...(letter.replyTo === undefined ? {} : { replyTo: letter.replyTo }),
      senderFirst: true,
      body: harden(body),
      values: [
        promiseId,
        resolverId,
        ...ids,
        ...(worker === undefined ? [] : [worker]),
      ],
    });
    return { messageId, promiseId };
  };

  return harden({
    propose: (guest, workerName, code, resultName) => {
      const { promiseId } = database.transact(() =>
        post(guest, code, {
          from: office.handleOf(guest),
          to: office.recipient(guest, 'HOST'),
          worker: workerId(guest, workerName),
          workerName,
          resultName,
          namesResult: true,
        }),
      );
      return powers.providePromise(promiseId);
    },
    counter: (host, number, workerName, code, resultName) =>
      database.transact(() => {
        const { message, body } = decisions.requireOpen(host, number);
        const { messageId } = post(host, code, {
          from: message.to,
          to: message.from,
          replyTo: message.messageId,
          workerName,
          resultName,
          namesResult: false,
        });
        proposals.move(body.resultId, 'countered', messageId);
        answers.refuse(body.resultId, `countered by message ${messageId}`);
      }),
  });
};
harden(makeProposals);
