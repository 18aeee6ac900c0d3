import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * The settings of caplets hold tokens. A copy that kept them would have them
 * still when they have long been replaced, so it has none.
 */
const withoutSettings = (path: string): void => {
  const copy = new DatabaseSync(path);
  try {
    copy.exec(`
      PRAGMA secure_delete = ON;
      PRAGMA temp_store = FILE;
      UPDATE formulas SET body = json_set(body, '$.env', json('{}'))
        WHERE type = 'make-unconfined';
      VACUUM;
    `);
  } finally {
    copy.close();
  }
};

const escape = (path: string): string => path.replaceAll("'", "''");

/**
 * Keeps the state as it is, but for the settings of caplets, in a file beside
 * it: `<path>.v<version>.bak`, mode 0600. Returns its path.
 *
 * @throws Error in words when it cannot be written; the state is untouched
 */
export const keepCopy = (
  database: DatabaseSync,
  path: string,
  version: number,
): string => {
  const kept = `${path}.v${version}.bak`;
  const unfinished = `${kept}.tmp`;
  try {
    // What a start that was broken off has left.
    for (const end of ['', '-journal', '-wal', '-shm'])
      rmSync(`${unfinished}${end}`, { force: true });
    closeSync(openSync(unfinished, 'wx', 0o600));
    database.exec(`VACUUM INTO '${escape(unfinished)}'`);
    withoutSettings(unfinished);
    renameSync(unfinished, kept);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw Error(
      `The state in ${path} is of an older version, and no copy of it could be kept in ${kept} before it is changed: ${(error as Error).message}. Nothing was changed. Make room, or name another directory in HOB_STATE_PATH`,
      { cause: error },
    );
  }
  return kept;
};
harden(keepCopy);
