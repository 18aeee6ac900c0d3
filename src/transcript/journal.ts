import type { Directory } from '../endo/guest.ts';
import { makeQueue } from '../endo/queue.ts';
import { type JournalRecord, entryRecord, parseEntry } from './entry.ts';
import { entryName } from './names.ts';

/**
 * What a turn has done so far, append only: each model answer before its tools
 * run, their results after them, and what is about to be sent.
 */
export type Journal = {
  /** Resolves when they are durable: all of them, or none. In order of the calls. */
  readonly append: (records: readonly JournalRecord[]) => Promise<void>;
  /** When the turn is settled. */
  readonly remove: () => Promise<void>;
};

export type JournalPowers = {
  readonly directory: Pick<Directory, 'lookup' | 'storeValue' | 'remove'>;
};

/**
 * @param indices - of the entries that are stored, rising
 */
export const makeJournal = (
  { directory }: Pick<JournalPowers, 'directory'>,
  messageId: string,
  indices: readonly number[] = [],
): Journal => {
  const inTurn = makeQueue();
  const written = new Set(indices);
  let next = (indices.at(-1) ?? -1) + 1;

  return harden({
    append: (records: readonly JournalRecord[]) =>
      inTurn(async () => {
        const path = harden([entryName(messageId, next)]);
        // What fails may have been stored: the next one takes its place.
        await directory.storeValue(entryRecord(records), path);
        written.add(next);
        next += 1;
      }),
    remove: () =>
      inTurn(async () => {
        // The node is there: what a crash leaves is removed at the next start.
        await Promise.all(
          [...written].map((index) =>
            directory.remove([entryName(messageId, index)]),
          ),
        );
        written.clear();
      }),
  });
};
harden(makeJournal);

/**
 * What an earlier incarnation has written, in its order. An entry behind a gap
 * belongs to no turn that this version has written, and is left out.
 *
 * @throws Error when an entry cannot be read
 */
export const readJournal = async (
  { directory }: { readonly directory: Pick<Directory, 'lookup'> },
  messageId: string,
  indices: readonly number[],
): Promise<readonly JournalRecord[]> => {
  const entries = await Promise.all(
    indices
      .filter((index, position) => index === position)
      .map(async (index) => {
        const name = entryName(messageId, index);
        return parseEntry(name, await directory.lookup([name]));
      }),
  );
  return harden(entries.flat());
};
harden(readJournal);
