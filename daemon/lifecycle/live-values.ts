import type { FormulaId } from '../formula/formula.ts';

/** A value that lives in a worker, and dies with it or when it is cancelled. */
export type Incarnation = {
  readonly value: Promise<unknown>;
  /** Contract: resolves. Called once, after the value was forgotten. */
  readonly dispose: (reason: Error, retire: boolean) => Promise<void>;
};

/** What is alive, and by which id it is known. */
export type LiveValues = {
  readonly get: (id: FormulaId) => Incarnation | undefined;
  readonly set: (id: FormulaId, incarnation: Incarnation) => void;
  /** Forgets it, when it is still this one. */
  readonly forget: (id: FormulaId, incarnation: Incarnation) => boolean;
  readonly idOf: (value: unknown) => FormulaId | undefined;
  /** Remembers the id of a value that has an identity; data has none. */
  readonly learn: (value: unknown, id: FormulaId) => void;
};

export const makeLiveValues = (): LiveValues => {
  const incarnations = new Map<FormulaId, Incarnation>();
  const ids = new WeakMap<object, FormulaId>();
  const isIdentified = (value: unknown): value is object =>
    (typeof value === 'object' && value !== null) ||
    typeof value === 'function';

  return harden({
    get: (id) => incarnations.get(id),
    set: (id, incarnation) => {
      incarnations.set(id, incarnation);
    },
    forget: (id, incarnation) =>
      incarnations.get(id) === incarnation && incarnations.delete(id),
    idOf: (value) => (isIdentified(value) ? ids.get(value) : undefined),
    learn: (value, id) => {
      if (isIdentified(value)) ids.set(value, id);
    },
  });
};
harden(makeLiveValues);
