import type { Guest } from '../endo/guest.ts';
import {
  messageIdOfRecord,
  openRecordName,
  type OpenRecord,
  parseOpenRecord,
} from './open-record.ts';

/** What is open, in memory at once and in the guest's directory durably. */
export type OpenIndex = {
  /** What an earlier incarnation left, of these names. One record that cannot be read hides no other. */
  readonly load: (
    names: readonly string[],
    onDamage: (cause: unknown) => void,
  ) => Promise<void>;
  /** Known from the call on; durable when it resolves. */
  readonly put: (record: OpenRecord) => Promise<void>;
  /** Idempotent. */
  readonly remove: (messageId: string) => Promise<void>;
  readonly get: (messageId: string) => OpenRecord | undefined;
  /** Oldest first. */
  readonly all: () => readonly OpenRecord[];
};

export const makeOpenIndex = (
  guest: Pick<Guest, 'lookup' | 'storeValue' | 'remove' | 'has'>,
): OpenIndex => {
  const records = new Map<string, OpenRecord>();
  // One write at a time for a record, so that the last one put is the last
  // one stored, and none comes after its removal.
  const writes = new Map<string, Promise<void>>();

  const inTurn = (
    messageId: string,
    write: () => Promise<void>,
  ): Promise<void> => {
    const before = writes.get(messageId) ?? Promise.resolve();
    const done = before.then(write, write);
    writes.set(messageId, done);
    const forget = (): void => {
      if (writes.get(messageId) === done) writes.delete(messageId);
    };
    done.then(forget, forget);
    return done;
  };

  return harden({
    load: async (
      names: readonly string[],
      onDamage: (cause: unknown) => void,
    ) => {
      const found = await Promise.all(
        names
          .filter((name) => messageIdOfRecord(name) !== undefined)
          .map((name) =>
            guest.lookup([name]).then(parseOpenRecord).catch(onDamage),
          ),
      );
      const sound = found.filter((each) => each !== undefined);
      sound.sort((a, b) => Number(a.number - b.number));
      for (const record of sound) records.set(record.messageId, record);
    },
    put: (record: OpenRecord) => {
      const { messageId } = record;
      records.set(messageId, harden(record));
      return inTurn(messageId, async () => {
        if (records.get(messageId) !== record) return;
        await guest.storeValue(record, [openRecordName(messageId)]);
      });
    },
    remove: (messageId: string) => {
      records.delete(messageId);
      return inTurn(messageId, async () => {
        const path = [openRecordName(messageId)];
        if (await guest.has(path)) await guest.remove(path);
      });
    },
    get: (messageId: string) => records.get(messageId),
    all: () => [...records.values()],
  });
};
harden(makeOpenIndex);
