import type { FormulaId } from '../formula/formula.ts';
import type { Answers } from '../mail/answers.ts';
import type { Decisions } from '../mail/decisions.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { ProposalStore } from '../store/proposals.ts';
import type { RunCode } from './code-runs.ts';
import { codeOf } from './proposals.ts';

/** Runs proposed code, each proposal at most once. */
export type Grants = {
  /** Resolves to the result; rejects with what the proposer is told too. */
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
  readonly runCode: RunCode;
  readonly log: (line: string) => void;
};

const LOST =
  'lost: the daemon was stopped while the granted code ran; it may have run in part, and is not run again';

/** Characters of what code threw. */
const MAX_REASON = 10_000;

const reasonOf = (error: unknown): string => {
  const text =
    error instanceof Error ? error.message || error.name : String(error);
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
};

export const makeGrants = (powers: GrantPowers): Grants => {
  const { database, collector, answers, decisions, proposals, runCode, log } =
    powers;
  let stopped = false;

  const begin = (host: FormulaId, number: bigint) =>
    database.transact(() => {
      const { body } = decisions.requireOpen(host, number);
      const formula = codeOf(body);
      if (formula === undefined)
        throw Error(
          `Message ${number} is a counter-proposal: its code runs when you propose it yourself and it is granted`,
        );
      proposals.move(body.resultId, 'running');
      return { promise: body.resultId, formula };
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
      const { promise, formula } = begin(host, number);
      // Both copies of the message may be dismissed while the code runs.
      const letGo = collector.hold(promise);
      try {
        return await runCode(formula, ({ keep }) => {
          proposals.move(promise, 'granted');
          answers.fulfill(promise, keep());
        });
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
