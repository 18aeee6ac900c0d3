import type { Guest } from '../endo/guest.ts';

const PREFIX = 'hob-settled-';

/**
 * Which messages have been answered although they stay in the inbox, for the
 * values that they carry or for what is open on their behalf. The inbox is the
 * queue of what is to be done, and is read anew at every start: without a mark
 * they would be answered again.
 */
export const markSettled = (guest: Guest, messageId: string): Promise<void> =>
  guest.storeValue(harden({ version: 1 }), [`${PREFIX}${messageId}`]);
harden(markSettled);

/** Of a message that is gone from the inbox. Idempotent. */
export const unmarkSettled = async (
  guest: Guest,
  messageId: string,
): Promise<void> => {
  const path = harden([`${PREFIX}${messageId}`]);
  if (await guest.has(path)) await guest.remove(path);
};
harden(unmarkSettled);

/** One listing of names; resolves to `messageId`s. */
export const loadSettled = async (
  guest: Guest,
): Promise<ReadonlySet<string>> => {
  const names = await guest.list([]);
  return new Set(
    names
      .filter((name) => name.startsWith(PREFIX))
      .map((name) => name.slice(PREFIX.length)),
  );
};
harden(loadSettled);
