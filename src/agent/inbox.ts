import type { Following, Guest, Mail } from '../endo/guest.ts';
import type { Desk } from './desk.ts';
import type { OnAgentEvent } from './events.ts';
import type { Outbound } from './outbound.ts';
import type { Router } from './router.ts';

export type InboxPowers = {
  readonly guest: Guest;
  /** Handle id of the agent itself. */
  readonly self: string;
  /** `messageId`s of what was answered before this incarnation. */
  readonly settled: ReadonlySet<string>;
  readonly outbound: Outbound;
  readonly router: Router;
  readonly desk: Desk;
  readonly onEvent: OnAgentEvent;
};

export type Inbox = {
  /**
   * Hands on every message until the stream ends. A message that cannot be read
   * is reported, and hides no other.
   */
  readonly follow: (messages: Following<Mail>) => Promise<void>;
};

/** The mail as it comes: our own copies to the router, the rest to the desk. */
export const makeInbox = (powers: InboxPowers): Inbox => {
  const { guest, self, settled, outbound, router, desk, onEvent } = powers;
  // Numbers rise; a message that comes again has one that was there before.
  let newest = -1n;

  const clear = (number: bigint): void => {
    guest.dismiss(number).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'putting mail away', cause });
    });
  };

  const takeOwn = async (mail: Mail): Promise<void> => {
    const sent = outbound.claim(mail);
    // Sent by an earlier incarnation: nothing waits for it.
    if (sent === undefined) return;
    await router.sent(sent.mail, sent.turn);
    clear(mail.number);
  };

  const take = async (mail: Mail): Promise<void> => {
    if (mail.from === self) {
      await takeOwn(mail);
      return;
    }
    if (mail.number <= newest) return;
    newest = mail.number;
    if (!settled.has(mail.messageId)) desk.take(mail);
  };

  return harden({
    follow: async (messages: Following<Mail>) => {
      for (;;) {
        let item: IteratorResult<Mail, undefined> | undefined;
        try {
          item = await messages.next();
          if (item.done !== true) await take(item.value);
        } catch (cause) {
          onEvent({ type: 'trouble', during: 'following the inbox', cause });
        }
        if (item?.done === true) return;
      }
    },
  });
};
harden(makeInbox);
