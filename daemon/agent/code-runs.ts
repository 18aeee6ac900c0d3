import type { CodePowers } from './code-powers.ts';
import type { EvalFormula, FormulaId } from '../formula/formula.ts';
import { isStorable } from '../formula/passable.ts';
import { makeFormulate } from '../name/directory-service.ts';

/** Code that has run, before anything of it is kept. */
export type Ran = {
  /** Whether its value can be stored as data. */
  readonly isData: boolean;
  /**
   * The id under which the value stays: of stored data, or of the code that
   * makes it, which runs again when the value is revived.
   */
  readonly keep: () => FormulaId;
};

/**
 * Runs the code once, on those values when they are given, then calls `settle` within a transaction, to keep of the
 * value what is to be kept. Rejects with what the code, or `settle`, threw.
 */
export type RunCode = (
  formula: EvalFormula,
  settle: (ran: Ran) => void,
  values?: readonly unknown[],
) => Promise<unknown>;

export const makeRunCode = (
  powers: Omit<CodePowers, 'hubs' | 'workerId'>,
): RunCode => {
  const { database, formulas, collector, ids, incarnator } = powers;
  const formulate = makeFormulate(powers);

  const run: RunCode = async (formula, settle, values) => {
    const id = ids.makeFormulaId();
    const value = await incarnator.begin(id, formula, values);
    try {
      const isData = isStorable(value, incarnator.idOf);
      const keep = (): FormulaId => {
        if (isData) return formulate(value);
        formulas.put(id, formula);
        return id;
      };
      database.transact(() => settle(harden({ isData, keep })));
      return value;
    } finally {
      // The objects of a value that was kept live on in the worker.
      if (formulas.typeOf(id) === undefined)
        await incarnator.release(id, Error('the evaluation is over'));
    }
  };

  return async (formula, settle, values) => {
    // Their names may be removed while the code runs.
    const letGo = [formula.worker, ...formula.values].map(collector.hold);
    try {
      return await run(formula, settle, values);
    } finally {
      database.transact(() => {
        for (const release of letGo) release();
      });
    }
  };
};
harden(makeRunCode);
