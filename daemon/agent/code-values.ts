import { makePromiseKit } from '@endo/promise-kit';
import type { EvalFormula } from '../formula/formula.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { SetTimer } from '../lifecycle/worker-pool.ts';

/**
 * The values that code is to run on, in the order of its names. Rejects when
 * one cannot be made, or is not there in time: it may be the answer to a
 * question that nobody has decided.
 */
export type ProvideValues = (
  code: Pick<EvalFormula, 'names' | 'values'>,
) => Promise<readonly unknown[]>;

export type ValuePowers = {
  readonly provide: Incarnator['provide'];
  readonly setTimer: SetTimer;
  readonly evalTimeoutMs: number;
};

const listed = (names: Iterable<string>): string =>
  [...names].map((name) => JSON.stringify(name)).join(', ');

export const makeProvideValues = (powers: ValuePowers): ProvideValues => {
  const { provide, setTimer, evalTimeoutMs } = powers;

  return async ({ names, values }) => {
    const missing = new Set(names);
    const provided = values.map(async (id, index) => {
      const value = await provide(id);
      missing.delete(names[index] ?? '');
      return value;
    });
    const { promise: late, reject } = makePromiseKit<never>();
    const cancel = setTimer(() => {
      reject(
        Error(
          `what ${listed(missing)} stands for is not there after ${evalTimeoutMs} ms; it may be the answer to something that is still open`,
        ),
      );
    }, evalTimeoutMs);
    try {
      return await Promise.race([Promise.all(provided), late]);
    } finally {
      cancel();
    }
  };
};
harden(makeProvideValues);
