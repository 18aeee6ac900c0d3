import type { Following, Guest, Mail } from '../endo/guest.ts';
import type { Desk } from './desk.ts';
import type { OnAgentEvent } from './events.ts';
import { isNotice } from './notice.ts';
import type { Outbound } from './outbound.ts';
import type { Router } from './router.ts';

export type InboxPowers = {
  readonly guest: Guest;
  readonly self: string;
  readonly host: string;
  readonly outbound: Outbound;
  readonly router: Router;
  readonly desk: Desk;
  readonly onEvent: OnAgentEvent;
};

export type Inbox = {
  /** Hands on every message until the stream ends; rejects when it breaks. */
  readonly follow: (messages: Following<Mail>) => Promise<void>;
};

/** The mail as it comes: our own copies to the router, the rest to the desk. */
export const makeInbox = (powers: InboxPowers): Inbox => {
  const { guest, self, host, outbound, router, desk, onEvent } = powers;
  const seen = new Set<string>();

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
    if (seen.has(mail.messageId)) return;
    seen.add(mail.messageId);
    if (mail.from !== host && isNotice(mail)) {
      // Two agents with dead models would else tell each other so for ever.
      clear(mail.number);
      return;
    }
    desk.take(mail);
  };

  return harden({
    follow: async (messages: Following<Mail>) => {
      for (;;) {
        const { done, value } = await messages.next();
        if (done === true) return;
        await take(value);
      }
    },
  });
};
harden(makeInbox);
