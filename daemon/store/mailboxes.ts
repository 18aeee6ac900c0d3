import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';
import { numberOf, optionalTextOf, textOf, type Row } from './rows.ts';

/** The part of a message that its type adds. Plain JSON. */
export type MessageBody = Readonly<Record<string, unknown>>;

export type StoredMessage = {
  readonly messageId: string;
  readonly type: string;
  /** ISO 8601. */
  readonly date: string;
  readonly from: FormulaId;
  readonly to: FormulaId;
  readonly replyTo?: string;
  readonly body: MessageBody;
};

export type NumberedMessage = StoredMessage & { readonly number: bigint };

export type MailboxStore = {
  /** `values` are kept from being collected while a mailbox holds the message. */
  readonly putMessage: (
    message: StoredMessage,
    values: readonly FormulaId[],
  ) => void;
  /** Puts a stored message into the mailbox of a handle, under its next number. */
  readonly deliver: (handle: FormulaId, messageId: string) => bigint;
  readonly get: (
    handle: FormulaId,
    number: bigint,
  ) => NumberedMessage | undefined;
  /** The first one with a number above `after`. */
  readonly nextAfter: (
    handle: FormulaId,
    after: bigint,
  ) => NumberedMessage | undefined;
  readonly list: (handle: FormulaId) => readonly NumberedMessage[];
  readonly wasUsed: (handle: FormulaId, number: bigint) => boolean;
  /** Takes it out of one mailbox, and deletes it when no other has it. Returns the values let go. */
  readonly dismiss: (handle: FormulaId, number: bigint) => readonly FormulaId[];
  /** The handles whose mailboxes hold a message with this value. */
  readonly holders: (id: FormulaId) => readonly FormulaId[];
};

const COLUMNS =
  'b.number, m.message_id, m.type, m.date, m.sender, m.recipient, m.reply_to, m.body';

const messageFrom = (row: Row): NumberedMessage => {
  const replyTo = optionalTextOf(row, 'reply_to');
  return harden({
    number: numberOf(row, 'number'),
    messageId: textOf(row, 'message_id'),
    type: textOf(row, 'type'),
    date: textOf(row, 'date'),
    from: textOf(row, 'sender'),
    to: textOf(row, 'recipient'),
    ...(replyTo === undefined ? {} : { replyTo }),
    body: JSON.parse(textOf(row, 'body')) as MessageBody,
  });
};

const makeReaders = (database: Database) => {
  const joined = `SELECT ${COLUMNS} FROM mailbox b JOIN messages m USING (message_id)`;
  const one = database.prepare(`${joined} WHERE b.handle = ? AND b.number = ?`);
  const next = database.prepare(
    `${joined} WHERE b.handle = ? AND b.number > ? ORDER BY b.number LIMIT 1`,
  );
  const all = database.prepare(
    `${joined} WHERE b.handle = ? ORDER BY b.number`,
  );
  const read = (row: Row | undefined) =>
    row === undefined ? undefined : messageFrom(row);
  return {
    get: (handle: FormulaId, number: bigint) => read(one.get(handle, number)),
    nextAfter: (handle: FormulaId, after: bigint) =>
      read(next.get(handle, after)),
    list: (handle: FormulaId) => harden(all.all(handle).map(messageFrom)),
  };
};

const makeNumbering = (database: Database) => {
  const select = database.prepare(
    'SELECT next FROM mailbox_counters WHERE handle = ?',
  );
  const upsert = database.prepare(
    'INSERT INTO mailbox_counters (handle, next) VALUES (?, ?) ON CONFLICT (handle) DO UPDATE SET next = excluded.next',
  );
  const peek = (handle: FormulaId): bigint => {
    const row = select.get(handle);
    return row === undefined ? 0n : numberOf(row, 'next');
  };
  const take = (handle: FormulaId): bigint => {
    const number = peek(handle);
    upsert.run(handle, number + 1n);
    return number;
  };
  return { peek, take };
};

const makeDismissal = (database: Database) => {
  const select = database.prepare(
    'SELECT message_id FROM mailbox WHERE handle = ? AND number = ?',
  );
  const remove = database.prepare(
    'DELETE FROM mailbox WHERE handle = ? AND number = ?',
  );
  const left = database.prepare(
    'SELECT 1 FROM mailbox WHERE message_id = ? LIMIT 1',
  );
  const values = database.prepare(
    'SELECT id FROM message_values WHERE message_id = ?',
  );
  const removeMessage = database.prepare(
    'DELETE FROM messages WHERE message_id = ?',
  );
  return (handle: FormulaId, number: bigint): readonly FormulaId[] => {
    const row = select.get(handle, number);
    if (row === undefined) return harden([]);
    const messageId = textOf(row, 'message_id');
    const letGo = values.all(messageId).map((entry) => textOf(entry, 'id'));
    remove.run(handle, number);
    if (left.get(messageId) === undefined) removeMessage.run(messageId);
    return harden(letGo);
  };
};

export const makeMailboxStore = (database: Database): MailboxStore => {
  const insert = database.prepare(
    'INSERT INTO messages (message_id, type, date, sender, recipient, reply_to, body) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const keep = database.prepare(
    'INSERT OR IGNORE INTO message_values (message_id, id) VALUES (?, ?)',
  );
  const post = database.prepare(
    'INSERT INTO mailbox (handle, number, message_id) VALUES (?, ?, ?)',
  );
  const selectHolders = database.prepare(
    'SELECT DISTINCT b.handle FROM message_values v JOIN mailbox b USING (message_id) WHERE v.id = ?',
  );
  const numbering = makeNumbering(database);

  return harden({
    ...makeReaders(database),
    putMessage: (
      { messageId, type, date, from, to, replyTo, body },
      values,
    ) => {
      insert.run(
        messageId,
        type,
        date,
        from,
        to,
        replyTo ?? null,
        JSON.stringify(body),
      );
      for (const id of values) keep.run(messageId, id);
    },
    deliver: (handle, messageId) => {
      const number = numbering.take(handle);
      post.run(handle, number, messageId);
      return number;
    },
    wasUsed: (handle, number) => number < numbering.peek(handle),
    dismiss: makeDismissal(database),
    holders: (id) =>
      harden(selectHolders.all(id).map((row) => textOf(row, 'handle'))),
  });
};
harden(makeMailboxStore);
