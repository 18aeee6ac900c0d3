import type { Guest, Mail } from '../endo/guest.ts';
import { pointerTo } from '../transcript/node.ts';
import type { TranscriptStore } from '../transcript/store.ts';

const PREFIX = 'hob-settled-';

/**
 * Marks by which earlier versions knew what they had answered, before nodes
 * said so: those of messages that are still there become nodes, and all go.
 *
 * @param names - of the guest's directory
 */
export const replaceOldMarks = async (
  guest: Pick<Guest, 'remove'>,
  store: TranscriptStore,
  names: readonly string[],
  inbox: readonly Mail[],
): Promise<void> => {
  for (const name of names.filter((each) => each.startsWith(PREFIX))) {
    const messageId = name.slice(PREFIX.length);
    const mail = inbox.find((each) => each.messageId === messageId);
    if (mail !== undefined && !store.has(messageId)) {
      const root = { messageId: null, correspondent: mail.from };
      await store.put(pointerTo(root, messageId));
    }
    await guest.remove([name]);
  }
};
harden(replaceOldMarks);
