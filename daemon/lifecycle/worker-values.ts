import {
  makeContext,
  type ContextControl,
  type ContextPowers,
} from '../caplet/context.ts';
import type {
  EvalFormula,
  FormulaId,
  UnconfinedFormula,
} from '../formula/formula.ts';
import type { Incarnation } from './live-values.ts';
import type { Tenancy, WorkerPool } from './worker-pool.ts';

export type WorkerValuePowers = {
  readonly pool: WorkerPool;
  readonly context: ContextPowers;
  readonly labelOf: (worker: FormulaId) => string;
  readonly provide: (id: FormulaId) => Promise<unknown>;
  readonly evalTimeoutMs: number;
  /** The caplet cancels itself. */
  readonly cancel: (id: FormulaId, reason: Error) => Promise<void>;
};

export type StartWorkerValue = (
  id: FormulaId,
  formula: EvalFormula | UnconfinedFormula,
  onGone: (cause: Error) => void,
  /** Of an evaluation, when they are there already. */
  given?: readonly unknown[],
) => Incarnation;

/** Runs evaluated code and unconfined caplets in the process that is theirs. */
export const makeStartWorkerValue = (
  powers: WorkerValuePowers,
): StartWorkerValue => {
  const { pool, labelOf, provide, evalTimeoutMs } = powers;

  const run = async (
    { process }: Tenancy,
    formula: EvalFormula | UnconfinedFormula,
    context: ContextControl,
    given: readonly unknown[] | undefined,
  ): Promise<unknown> => {
    if (formula.type === 'eval') {
      const values = given ?? (await Promise.all(formula.values.map(provide)));
      if (context.isCancelled()) return undefined;
      return process.evaluate(
        formula.source,
        formula.names,
        harden([...values]),
        evalTimeoutMs,
      );
    }
    const agent = await provide(formula.powers);
    // Whoever waits has the reason already.
    if (context.isCancelled()) return undefined;
    return process.makeUnconfined(
      formula.specifier,
      agent,
      context.exo,
      formula.env,
    );
  };

  return (id, formula, onGone, given) => {
    const context = makeContext(
      id,
      (reason) => powers.cancel(id, reason),
      powers.context,
    );
    const kind = formula.type === 'eval' ? 'confined' : 'unconfined';
    const entering = pool.provide(
      formula.worker,
      labelOf(formula.worker),
      kind,
      onGone,
    );
    const cancelled = context.cancelled.then((reason): never => {
      throw reason;
    });
    const value = Promise.race([
      cancelled,
      entering.then((tenancy) => run(tenancy, formula, context, given)),
    ]);
    value.catch(() => undefined);
    return harden({
      value,
      dispose: async (reason: Error, retire: boolean) => {
        // At once, so that what comes next does not start beside it.
        void entering.then(
          (tenancy) => tenancy.leave(retire),
          () => undefined,
        );
        await context.dispose(reason);
      },
    });
  };
};
harden(makeStartWorkerValue);
