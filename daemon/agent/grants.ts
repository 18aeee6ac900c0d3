import type { EvalFormula, FormulaId } from '../formula/formula.ts';
import type { Answers } from '../mail/answers.ts';
import type { Decisions } from '../mail/decisions.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { ProposalStore } from '../store/proposals.ts';
import type { Ran, RunCode } from './code-runs.ts';
import type { ProvideValues } from './code-values.ts';
import { codeOf } from './proposals.ts';

/** Runs proposed code, each proposal at most once. */
export type Grants = {
  /**
   * Resolves to the result; rejects with what the proposer is told too, or,
   * when a value of the code cannot be had, leaves the proposal open.
   */
  readonly grant: (host: FormulaId, number: bigint) => Promise<unknown>;
  /** Once, before anything is granted: what ran when the daemon ended is lost. */
  readonly recover: () => void;
  /** Code that is ended with the daemon counts as lost, and not as failed. */
  readonly stop: () => void;
};

export type GrantPowers = {
  readonly database: Database;
  readonly collector: Collector;
  readonly answers: Answers;
  readonly decisions: Decisions;
  readonly proposals: ProposalStore;
  readonly provideValues: ProvideValues;
  readonly runCode: RunCode;
  readonly log: (line: string) => void;
};

const LOST =
  'lost: the daemon was stopped while the granted code ran; it may have run in part, and is not run again';

/** Characters of what code threw. */
const MAX_REASON = 10_000;

/** Code may throw anything, also what cannot be made a text. */
const textOf = (thrown: unknown): string => {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === 'object' && thrown !== null
    ? 'it threw an object that is no error'
    : String(thrown);
};

const reasonOf = (error: unknown): string => {
  const text = textOf(error);
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
};

export const makeGrants = (powers: GrantPowers): Grants => {
  const { database, collector, answers, decisions, proposals, log } = powers;
  let stopped = false;

  const requireCode = (host: FormulaId, number: bigint) => {
    const { body } = decisions.requireOpen(host, number);
    const formula = codeOf(body);
    if (formula === undefined)
      throw Error(
        `Message ${number} is a counter-proposal: its code runs when you propose it yourself and it is granted`,
      );
    return { promise: body.resultId, formula };
  };

  const provideValues = async (formula: EvalFormula, number: bigint) => {
    try {
      return await powers.provideValues(formula);
    } catch (error) {
      throw Error(
        `The proposal in message ${number} was not granted: ${reasonOf(error)}. Nothing ran, and it is still open`,
        { cause: error },
      );
    }
  };

  const begin = (host: FormulaId, number: bigint): void =>
    database.transact(() => {
      // It may have been decided while its values were made.
      const { promise } = requireCode(host, number);
      if (stopped)
        throw Error(
          `The proposal in message ${number} was not granted: the daemon stops. It is still open`,
        );
      proposals.move(promise, 'running');
    });

  const fail = (promise: FormulaId, error: unknown): Error => {
    const reason = `granted, but the code failed: ${reasonOf(error)}`;
    if (stopped) return Error(LOST);
    database.transact(() => {
      proposals.move(promise, 'failed');
      answers.refuse(promise, reason);
    });
    return Error(reason, { cause: error });
  };

  return harden({
    grant: async (host, number) => {
      const { promise, formula } = requireCode(host, number);
      // Before it counts as running: this may take long, and nothing has run.
      const values = await provideValues(formula, number);
      begin(host, number);
      // Both copies of the message may be dismissed while the code runs.
      const letGo = collector.hold(promise);
      try {
        const settle = ({ keep }: Ran): void => {
          proposals.move(promise, 'granted');
          answers.fulfill(promise, keep());
        };
        return await powers.runCode(formula, settle, values);
      } catch (error) {
        throw fail(promise, error);
      } finally {
        if (!stopped) database.transact(letGo);
      }
    },
    recover: () => {
      const lost = proposals.running();
      database.transact(() => {
        for (const promise of lost) {
          proposals.move(promise, 'lost');
          answers.refuse(promise, LOST);
        }
      });
      if (lost.length > 0)
        log(
          `${lost.length} granted proposals were running when the daemon ended, and are lost`,
        );
    },
    stop: () => {
      stopped = true;
    },
  });
};
harden(makeGrants);
