import { isRemotable } from '@endo/pass-style';
import { decodePassable } from '../formula/passable.ts';
import type {
  EvalFormula,
  Formula,
  FormulaId,
  UnconfinedFormula,
} from '../formula/formula.ts';
import type { FormulaStore } from '../store/formulas.ts';
import { makeLiveValues, type Incarnation } from './live-values.ts';
import type { StartWorkerValue } from './worker-values.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Makes values of formulas, each at most once at a time. */
export type Incarnator = {
  /** Rejects when there is no such value, or when it cannot be made. */
  readonly provide: (id: FormulaId) => Promise<unknown>;
  /**
   * The same, but runs no code for it: where some would have to run, there is
   * an object that says so, and has the id of what it stands for.
   */
  readonly provideAtRest: (id: FormulaId) => Promise<unknown>;
  /** The same, of an object that the daemon itself is: an agent, a handle, a directory. */
  readonly provideNow: (id: FormulaId) => object;
  /**
   * Makes a value whose formula is not stored (yet). An evaluation gets the
   * values of its formula, unless they are given.
   */
  readonly begin: (
    id: FormulaId,
    formula: EvalFormula | UnconfinedFormula,
    values?: readonly unknown[],
  ) => Promise<unknown>;
  /** The id of a remotable that this daemon made or keeps. */
  readonly idOf: (value: unknown) => FormulaId | undefined;
  /** Ends a value, and what was made with it. The next `provide` makes it anew. */
  readonly cancel: (id: FormulaId, reason: Error) => Promise<void>;
  /** Forgets a value that is needed no more, without ending its process. */
  readonly release: (id: FormulaId, reason: Error) => Promise<void>;
  /** Resolves when whatever was collected has run its disposal hooks. */
  readonly settled: () => Promise<void>;
  readonly onLost: (listener: (id: FormulaId) => void) => void;
};

export type IncarnatorPowers = {
  readonly formulas: FormulaStore;
  readonly pool: WorkerPool;
  readonly startWorkerValue: StartWorkerValue;
  readonly providePromise: (id: FormulaId) => Promise<unknown>;
  readonly makeExo: (id: FormulaId, formula: Formula) => object;
  /** What stands for a value that would have to be made by running code. */
  readonly makeDormant: () => object;
  readonly onCollected: (listener: (id: FormulaId) => void) => void;
};

export const makeIncarnator = (powers: IncarnatorPowers): Incarnator => {
  const { formulas, pool, startWorkerValue, makeExo } = powers;
  const live = makeLiveValues();
  const exos = new Map<FormulaId, object>();
  const listeners: ((id: FormulaId) => void)[] = [];
  const disposals = new Set<Promise<unknown>>();

  const formulaOf = (id: FormulaId): Formula => {
    const formula = formulas.get(id);
    if (formula === undefined) {
      throw Error(
        `There is no value with the id ${id.slice(0, 12)}…: it was never here, or nothing names it any more`,
      );
    }
    return formula;
  };

  const idOf = (value: unknown): FormulaId | undefined => {
    const id = live.idOf(value);
    return id === undefined || formulas.typeOf(id) === undefined
      ? undefined
      : id;
  };

  /** Ends a value and what was made with it; the result is all that it ended. */
  const endAll = async (
    id: FormulaId,
    reason: Error,
    retire: boolean,
  ): Promise<readonly FormulaId[]> => {
    const incarnation = live.get(id);
    const endings: Promise<readonly FormulaId[]>[] = [];
    if (incarnation !== undefined) {
      live.forget(id, incarnation);
      endings.push(incarnation.dispose(reason, retire).then(() => [id]));
    }
    for (const dependent of formulas.dependents(id)) {
      if (live.get(dependent) !== undefined)
        endings.push(endAll(dependent, reason, retire));
    }
    return (await Promise.all(endings)).flat();
  };

  const end = async (
    id: FormulaId,
    reason: Error,
    retire: boolean,
  ): Promise<void> => {
    await endAll(id, reason, retire);
  };

  const lose = (
    id: FormulaId,
    incarnation: Incarnation,
    cause: Error,
  ): void => {
    if (live.get(id) !== incarnation) return;
    void endAll(id, cause, false).then((ended) => {
      for (const lost of ended)
        for (const listener of listeners) listener(lost);
    });
  };

  const begin: Incarnator['begin'] = (id, formula, values) => {
    const incarnation: Incarnation = startWorkerValue(
      id,
      formula,
      (cause) => lose(id, incarnation, cause),
      values,
    );
    live.set(id, incarnation);
    incarnation.value.then(
      (value) => {
        // What the code was given and gives back keeps the id that it has.
        if (isRemotable(value as never) && idOf(value) === undefined)
          live.learn(value, id);
      },
      (error: unknown) => {
        // Code that throws leaves its process fit for more; a caplet may have
        // begun something that goes on.
        const retire = formula.type === 'make-unconfined';
        if (live.forget(id, incarnation))
          void incarnation.dispose(error as Error, retire);
      },
    );
    return incarnation.value;
  };

  const provideExo = (id: FormulaId, formula: Formula): object => {
    const existing = exos.get(id);
    if (existing !== undefined) return existing;
    const exo = makeExo(id, formula);
    exos.set(id, exo);
    live.learn(exo, id);
    return exo;
  };

  type RunsFormula = Extract<
    Formula,
    { readonly type: 'promise' | 'eval' | 'make-unconfined' }
  >;

  /** What runs no code is given as it is; `awaken` decides about the rest. */
  const makeProvide = (
    awaken: (id: FormulaId, formula: RunsFormula) => unknown,
  ): ((id: FormulaId) => Promise<unknown>) => {
    const provideOne = async (id: FormulaId): Promise<unknown> => {
      const incarnation = live.get(id);
      if (incarnation !== undefined) return incarnation.value;
      const formula = formulaOf(id);
      switch (formula.type) {
        case 'marshal':
          return decodePassable(
            formula,
            await Promise.all(formula.slots.map(provideOne)),
          );
        case 'promise':
        case 'eval':
        case 'make-unconfined':
          return awaken(id, formula);
        default:
          return provideExo(id, formula);
      }
    };
    return provideOne;
  };

  const provide = makeProvide((id, formula) =>
    formula.type === 'promise' ? powers.providePromise(id) : begin(id, formula),
  );

  const makeDormant = (id: FormulaId): object => {
    const dormant = powers.makeDormant();
    live.learn(dormant, id);
    return dormant;
  };

  const provideAtRest = makeProvide(makeDormant);

  powers.onCollected((id) => {
    exos.delete(id);
    pool.stop(id, 'nothing names it any more');
    if (live.get(id) === undefined) return;
    const disposal = end(
      id,
      Error('cancelled: nothing names it any more'),
      true,
    );
    disposals.add(disposal);
    void disposal.then(() => disposals.delete(disposal));
  });

  return harden({
    provide,
    provideAtRest,
    provideNow: (id) => provideExo(id, formulaOf(id)),
    begin,
    idOf,
    cancel: async (id, reason) => {
      if (formulas.typeOf(id) === 'worker') pool.stop(id, reason.message);
      await end(id, reason, true);
    },
    release: (id, reason) => end(id, reason, false),
    settled: async () => {
      await Promise.all(disposals);
    },
    onLost: (listener) => {
      listeners.push(listener);
    },
  });
};
harden(makeIncarnator);
