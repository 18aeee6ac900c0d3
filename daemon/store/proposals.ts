import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';
import { optionalTextOf, textOf } from './rows.ts';

/**
 * `running` is written before the code is asked to run, and `lost` after a
 * restart that found it running: so code runs at most once.
 */
export type ProposalState =
  'open' | 'running' | 'granted' | 'failed' | 'rejected' | 'countered' | 'lost';

export type ProposalRecord = {
  readonly state: ProposalState;
  /** The `messageId` of the counter-proposal. */
  readonly counteredBy?: string;
};

/** How far each proposal is, by the promise of its result. */
export type ProposalStore = {
  readonly put: (promise: FormulaId) => void;
  readonly get: (promise: FormulaId) => ProposalRecord | undefined;
  readonly move: (
    promise: FormulaId,
    state: ProposalState,
    counteredBy?: string,
  ) => void;
  readonly running: () => readonly FormulaId[];
};

export const makeProposalStore = (database: Database): ProposalStore => {
  const insert = database.prepare(
    "INSERT INTO proposals (promise, state) VALUES (?, 'open')",
  );
  const select = database.prepare(
    'SELECT state, countered_by FROM proposals WHERE promise = ?',
  );
  const update = database.prepare(
    'UPDATE proposals SET state = ?, countered_by = ? WHERE promise = ?',
  );
  const selectRunning = database.prepare(
    "SELECT promise FROM proposals WHERE state = 'running'",
  );

  return harden({
    put: (promise) => {
      insert.run(promise);
    },
    get: (promise) => {
      const row = select.get(promise);
      if (row === undefined) return undefined;
      const state = textOf(row, 'state') as ProposalState;
      const counteredBy = optionalTextOf(row, 'countered_by');
      return harden(
        counteredBy === undefined ? { state } : { state, counteredBy },
      );
    },
    move: (promise, state, counteredBy) => {
      update.run(state, counteredBy ?? null, promise);
    },
    running: () =>
      harden(selectRunning.all().map((row) => textOf(row, 'promise'))),
  });
};
harden(makeProposalStore);
