import type { Mail } from '../endo/guest.ts';
import type { SentRef } from '../transcript/entry.ts';
import type { Sender } from './post.ts';
import type { TurnRef } from './router.ts';
import type { TurnRecord } from './turn-record.ts';

/** What one turn sends: whose it is, and what is left to be put away of it. */
export type TurnSending = {
  /**
   * @param key - of the tool call, or of the closing reply
   * @param onSent - with the own copy of a package, at once
   */
  readonly senderFor: (key: string, onSent?: (sent: SentRef) => void) => Sender;
  /** Sent before this incarnation. */
  readonly recall: (sent: SentRef) => void;
  /** Own copies of its packages. */
  readonly copies: () => readonly SentRef[];
  /** Resolves when replies to all of them are known to belong here, durably. */
  readonly filed: () => Promise<void>;
};

export const makeTurnSending = (
  turn: TurnRef,
  { write }: Pick<TurnRecord, 'write'>,
): TurnSending => {
  const copies = new Map<string, SentRef>();
  const filings: Promise<void>[] = [];
  const recall = ({ messageId, number }: SentRef): void => {
    copies.set(messageId, { messageId, number });
  };

  return harden({
    senderFor: (key: string, onSent?: (sent: SentRef) => void): Sender => ({
      turn,
      key,
      journal: (intent, resultName) =>
        write({
          type: 'intent',
          intent,
          ...(resultName === undefined ? {} : { resultName }),
        }),
      onSeen: (mail: Mail, filed: Promise<void>) => {
        if (mail.type !== 'package') return;
        recall(mail);
        // Whoever settles the turn is told of a failure.
        filed.catch(() => undefined);
        filings.push(filed);
        onSent?.(mail);
      },
    }),
    recall,
    copies: () => [...copies.values()],
    filed: async () => {
      await Promise.all(filings);
    },
  });
};
harden(makeTurnSending);
