import type { FormulaId } from '../formula/formula.ts';
import type { FormulaStore } from '../store/formulas.ts';
import type { NameStore } from '../store/names.ts';
import type { Incarnator } from './incarnator.ts';
import type { SetTimer } from './worker-pool.ts';

/** The directories that hosts know as PINS. */
export type PinBoards = {
  readonly all: () => readonly FormulaId[];
  readonly has: (directory: FormulaId) => boolean;
};

export const makePinBoards = (formulas: FormulaStore): PinBoards => {
  const pinsOf = (id: FormulaId): FormulaId | undefined => {
    const formula = formulas.get(id);
    return formula?.type === 'host' ? formula.pins : undefined;
  };
  return harden({
    all: () =>
      formulas.ofType('host').flatMap((id) => {
        const pins = pinsOf(id);
        return pins === undefined ? [] : [pins];
      }),
    has: (directory) =>
      formulas.dependents(directory).some((id) => pinsOf(id) === directory),
  });
};
harden(makePinBoards);

/** Keeps alive what the hosts have named in PINS. */
export type Pins = {
  /** Makes all pinned values. Does not wait for them. */
  readonly start: () => void;
  readonly stop: () => void;
};

export type PinPowers = {
  readonly names: NameStore;
  readonly boards: PinBoards;
  readonly incarnator: Incarnator;
  readonly setTimer: SetTimer;
  /** Milliseconds since some fixed moment. */
  readonly monotonic: () => number;
  readonly log: (line: string) => void;
};

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 60_000;
/** A value that lived this long failed for a new reason. */
const HEALTHY_MS = 60_000;

type Attempt = { readonly delay: number; readonly at: number };

export const makePins = (powers: PinPowers): Pins => {
  const { names, boards, incarnator, setTimer, monotonic, log } = powers;
  const attempts = new Map<FormulaId, Attempt>();
  const timers = new Map<FormulaId, () => void>();
  let stopped = false;

  const namesOf = (id: FormulaId): readonly string[] =>
    names
      .holders(id)
      .filter(boards.has)
      .flatMap((board) => names.namesOf(board, id));

  const delayFor = (id: FormulaId): number => {
    const before = attempts.get(id);
    const isFresh =
      before === undefined ||
      monotonic() - before.at > HEALTHY_MS + before.delay;
    return isFresh
      ? FIRST_DELAY_MS
      : Math.min(before.delay * 2, LONGEST_DELAY_MS);
  };

  const revive = async (id: FormulaId): Promise<void> => {
    try {
      await incarnator.provide(id);
    } catch (error) {
      log(
        `the pinned value ${namesOf(id).join(', ')} could not be made: ${(error as Error).message}`,
      );
      retry(id);
    }
  };

  const retry = (id: FormulaId): void => {
    if (stopped || timers.has(id)) return;
    if (namesOf(id).length === 0) {
      attempts.delete(id);
      return;
    }
    const delay = delayFor(id);
    attempts.set(id, { delay, at: monotonic() });
    log(
      `the pinned value ${namesOf(id).join(', ')} is made again in ${delay} ms`,
    );
    timers.set(
      id,
      setTimer(() => {
        timers.delete(id);
        void revive(id);
      }, delay),
    );
  };

  incarnator.onLost(retry);

  return harden({
    start: () => {
      const pinned = boards.all().flatMap((board) => names.list(board));
      for (const id of new Set(pinned.map((entry) => entry.id)))
        void revive(id);
    },
    stop: () => {
      stopped = true;
      for (const callOff of timers.values()) callOff();
      timers.clear();
    },
  });
};
harden(makePins);
