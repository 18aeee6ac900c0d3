import type { Collector } from './collector.ts';
import type { Database } from './database.ts';
import type { FormulaStore } from './formulas.ts';

const DUE = 'scrub-due';

export type ScrubbingPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly collector: Collector;
  readonly log: (line: string) => void;
};

/**
 * Leaves no trace of a caplet's settings once they are thrown away: they may be
 * secret. `secure_delete` overwrites a row, and not what the moving of rows
 * between pages has left behind, nor the log of writes. A trigger of the schema
 * notes what is due in the transaction that deletes, so that a crash only
 * defers it.
 */
export const startScrubbing = (powers: ScrubbingPowers): void => {
  const { database, formulas, collector, log } = powers;
  /** Every failure costs a moment in which nothing else is done. */
  let hasFailed = false;
  const isDue = (): boolean => !hasFailed && formulas.getMeta(DUE) === 'yes';

  const scrub = (): void => {
    if (!isDue()) return;
    try {
      database.rewrite();
      formulas.setMeta(DUE, 'no');
    } catch (error) {
      hasFailed = true;
      log(
        `old settings could not be wiped from the disk, which is tried again at the next start: ${(error as Error).message}`,
      );
    }
  };

  collector.onCollected(scrub);
  scrub();
};
harden(startScrubbing);
