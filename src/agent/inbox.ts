import type { Following, Guest, Mail } from '../endo/guest.ts';
import type { Outbox } from '../endo/outbox.ts';
import type { Decisions } from './decisions.ts';
import type { Desk } from './desk.ts';
import type { OnAgentEvent } from './events.ts';

export type InboxPowers = {
  readonly guest: Guest;
  /** Handle id of the agent itself. */
  readonly self: string;
  /** Whether a message has become a node. */
  readonly isSettled: (messageId: string) => boolean;
  readonly outbox: Pick<Outbox, 'observe'>;
  /** Own copies that a turn puts away which goes on after a restart. */
  readonly kept: ReadonlySet<string>;
  readonly desk: Desk;
  readonly decisions: Decisions;
  readonly onEvent: OnAgentEvent;
};

export type Inbox = {
  /**
   * Hands on every message until the stream ends. A message that cannot be read
   * is reported, and hides no other.
   */
  readonly follow: (messages: Following<Mail>) => Promise<void>;
};

/** The mail as it comes: our own copies to the outbox, the rest to the desk. */
export const makeInbox = (powers: InboxPowers): Inbox => {
  const { guest, self, isSettled, outbox, kept, desk, decisions } = powers;
  const { onEvent } = powers;
  // Numbers rise; a message that comes again has one that was there before.
  let newest = -1n;

  const clear = (number: bigint): void => {
    guest.dismiss(number).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'putting mail away', cause });
    });
  };

  const takeOwn = (mail: Mail): void => {
    // Whoever sent it has been told.
    if (outbox.observe(mail) || kept.has(mail.messageId)) return;
    // Sent by an earlier incarnation: of a message, nothing waits for it.
    const isAsk = mail.type === 'proposal' || mail.type === 'request';
    if (isAsk) decisions.found(mail);
    else clear(mail.number);
  };

  const take = (mail: Mail): void => {
    if (mail.from === self) {
      takeOwn(mail);
      return;
    }
    if (mail.number <= newest) return;
    newest = mail.number;
    if (isSettled(mail.messageId)) return;
    if (!decisions.takeCounter(mail)) desk.take(mail);
  };

  return harden({
    follow: async (messages: Following<Mail>) => {
      for (;;) {
        let item: IteratorResult<Mail, undefined> | undefined;
        try {
          item = await messages.next();
          if (item.done !== true) take(item.value);
        } catch (cause) {
          onEvent({ type: 'trouble', during: 'following the inbox', cause });
        }
        if (item?.done === true) return;
      }
    },
  });
};
harden(makeInbox);
