/** Where agents are killed. */
import type { ChaosPoint } from './chaos-plan.ts';

/** Calls that change something. */
const CHANGE =
  /^(?:storeValue|remove|move|adopt|dismiss|send|reply|request|evaluate) /u;
/** Of the entries that are removed at once, all but some. */
const REMOVAL = /^remove transcript-#1-(?!\d?[05]$)/u;

/** Both sides of every call that changes something. */
export const pointsOf = (labels: readonly string[]): readonly ChaosPoint[] =>
  labels
    .filter((label) => CHANGE.test(label) && !REMOVAL.test(label))
    .flatMap((label): readonly ChaosPoint[] => [
      { label, side: 'before' },
      { label, side: 'after' },
    ]);

/**
 * One side of each call, the other one in the other half: after a call is, but
 * for what is only looked at, before the next.
 */
export const halfOf = (
  points: readonly ChaosPoint[],
  half: 0 | 1,
): readonly ChaosPoint[] =>
  points.filter((_point, index) => ((index % 4) % 3 === 0) === (half === 0));

/** A linear congruential generator: the same instants for the same seed. */
export const makeInstants = (seed: number, below: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};
