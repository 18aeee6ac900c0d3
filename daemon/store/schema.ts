import type { DatabaseSync } from 'node:sqlite';
import { keepCopy } from './state-copy.ts';

/**
 * Forward migrations. Entry `n` leads from version `n` to `n + 1`; an entry,
 * once released, never changes.
 */
const migrations = harden([
  `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  CREATE TABLE formulas (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE dependencies (
    id TEXT NOT NULL REFERENCES formulas(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    needs TEXT NOT NULL REFERENCES formulas(id) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (id, needs)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dependencies_by_need ON dependencies(needs);

  CREATE TABLE names (
    directory TEXT NOT NULL REFERENCES formulas(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    name TEXT NOT NULL,
    id TEXT NOT NULL REFERENCES formulas(id) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (directory, name)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX names_by_id ON names(id);

  CREATE TABLE messages (
    message_id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    date TEXT NOT NULL,
    sender TEXT NOT NULL,
    recipient TEXT NOT NULL,
    reply_to TEXT,
    body TEXT NOT NULL
  ) STRICT;

  -- What a message keeps from being collected, as long as it lies in a mailbox.
  CREATE TABLE message_values (
    message_id TEXT NOT NULL REFERENCES messages(message_id) ON DELETE CASCADE,
    id TEXT NOT NULL REFERENCES formulas(id) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (message_id, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX message_values_by_id ON message_values(id);

  CREATE TABLE mailbox (
    handle TEXT NOT NULL REFERENCES formulas(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number INTEGER NOT NULL,
    message_id TEXT NOT NULL REFERENCES messages(message_id),
    PRIMARY KEY (handle, number)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX mailbox_by_message ON mailbox(message_id);

  -- Numbers are never used again, also when the last message was dismissed.
  CREATE TABLE mailbox_counters (
    handle TEXT PRIMARY KEY REFERENCES formulas(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    next INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE promises (
    id TEXT PRIMARY KEY REFERENCES formulas(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    status TEXT NOT NULL CHECK (status IN ('pending', 'fulfilled', 'rejected')),
    value TEXT,
    reason TEXT,
    asker TEXT,
    response_path TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- How far a proposal of code is. Its promise says what came of it.
  CREATE TABLE proposals (
    promise TEXT PRIMARY KEY REFERENCES promises(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    state TEXT NOT NULL CHECK (state IN
      ('open', 'running', 'granted', 'failed', 'rejected', 'countered', 'lost')),
    countered_by TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE blob_chunks (
    id TEXT NOT NULL REFERENCES formulas(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    number INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (id, number)
  ) STRICT;

  -- The settings of a caplet may be secret: scrubbing.ts. What was deleted
  -- before there was this may have left something behind.
  INSERT OR REPLACE INTO meta (key, value)
    SELECT 'scrub-due', 'yes' WHERE EXISTS (SELECT 1 FROM formulas);
  CREATE TRIGGER settings_thrown_away AFTER DELETE ON formulas
  WHEN old.type = 'make-unconfined'
  BEGIN
    INSERT OR REPLACE INTO meta (key, value) VALUES ('scrub-due', 'yes');
  END;
  `,
]);

/**
 * Brings a database to the newest version, and keeps a copy of an older one
 * beside it. Throws when it is newer still, or when no copy can be kept.
 */
export const migrate = (
  database: DatabaseSync,
  path: string,
  log: (line: string) => void,
): void => {
  const row = database.prepare('PRAGMA user_version').get();
  const version = Number(row?.['user_version']);
  if (version > migrations.length) {
    throw Error(
      `The state in ${path} has version ${version}, written by a newer Hob; this one knows up to ${migrations.length}. Use the newer Hob, or name another directory in HOB_STATE_PATH`,
    );
  }
  if (version > 0 && version < migrations.length) {
    const copy = keepCopy(database, path, version);
    log(
      `the state is of version ${version} and becomes ${migrations.length}; as it was, but for the settings of its agents, it is kept in ${copy}`,
    );
  }
  for (const [index, sql] of migrations.entries()) {
    if (index >= version) {
      database.exec(
        `BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`,
      );
    }
  }
};
harden(migrate);
