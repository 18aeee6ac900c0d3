import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { migrate } from './schema.ts';

export type Database = {
  readonly prepare: (sql: string) => StatementSync;
  /**
   * All of `work`, or nothing. Committed to disk when it returns. A call within
   * another joins it.
   */
  readonly transact: <T>(work: () => T) => T;
  /** Runs before every commit, as part of the transaction. */
  readonly beforeCommit: (step: () => void) => void;
  /** Runs once, after the transaction that is open; never after a rollback. */
  readonly afterCommit: (effect: () => void) => void;
  /**
   * Writes the file anew and empties the log of writes: nothing that was deleted
   * is left in either. Takes a moment in which nothing else is done.
   */
  readonly rewrite: () => void;
  readonly close: () => void;
};

const isLocked = (error: unknown): boolean =>
  error instanceof Error && /database is locked/.test(error.message);

/**
 * The exclusive lock is the proof of being the only daemon of this directory.
 * The kernel holds it, so a killed daemon leaves nothing in the way.
 */
const openLocked = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: 500 });
  try {
    database.exec(`
      PRAGMA locking_mode = EXCLUSIVE;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA secure_delete = ON;
      PRAGMA foreign_keys = ON;
      -- VACUUM needs as much again as there is; main.ts says where.
      PRAGMA temp_store = FILE;
      BEGIN IMMEDIATE; COMMIT;
    `);
    return database;
  } catch (error) {
    database.close();
    if (isLocked(error)) {
      throw Error(
        `The state directory ${dirname(path)} is in use by another daemon. Stop that one, or name another directory in HOB_STATE_PATH`,
      );
    }
    throw cannotOpen(path, error);
  }
};

const preparePrivateFile = (path: string): void => {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  chmodSync(directory, 0o700);
  closeSync(openSync(path, 'a', 0o600));
  chmodSync(path, 0o600);
};

const rollBack = (database: DatabaseSync): void => {
  // A failed COMMIT may have rolled back by itself.
  if (database.isTransaction) database.exec('ROLLBACK');
};

const cannotOpen = (path: string, cause: unknown): Error => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return Error(
    `Cannot open the state in ${path}: ${why}. Nothing was changed. Restore it from a copy, or name another directory in HOB_STATE_PATH`,
    { cause },
  );
};

/** Opens, locks and migrates the database at `path`, of which this is the only user. */
export const openDatabase = (
  path: string,
  log: (line: string) => void,
): Database => {
  try {
    preparePrivateFile(path);
  } catch (error) {
    throw cannotOpen(path, error);
  }
  const database = openLocked(path);
  try {
    migrate(database, path, log);
  } catch (error) {
    database.close();
    throw error;
  }
  const steps: (() => void)[] = [];
  let effects: (() => void)[] = [];
  let open = false;

  const transact = <T>(work: () => T): T => {
    if (open) return work();
    open = true;
    let result: T;
    try {
      database.exec('BEGIN IMMEDIATE');
      result = work();
      for (const step of steps) step();
      database.exec('COMMIT');
    } catch (error) {
      effects = [];
      rollBack(database);
      throw error;
    } finally {
      open = false;
    }
    const due = effects;
    effects = [];
    for (const effect of due) effect();
    return result;
  };

  return harden({
    prepare: (sql) => database.prepare(sql),
    transact,
    beforeCommit: (step) => {
      steps.push(step);
    },
    afterCommit: (effect) => {
      if (open) effects.push(effect);
      else effect();
    },
    rewrite: () => {
      // The log first, so that there is as much room on the disk as can be.
      database.exec(
        'PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)',
      );
    },
    close: () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  });
};
harden(openDatabase);
