import type { Following, Guest, Mail } from '../endo/guest.ts';
import type { Decisions } from './decisions.ts';
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

/** The mail as it comes: our own copies to the router, the rest to the desk. */
export const makeInbox = (powers: InboxPowers): Inbox => {
  const { guest, self, settled, outbound, router, desk, onEvent } = powers;
  const { decisions } = powers;
  // Numbers rise; a message that comes again has one that was there before.
  let newest = -1n;

  const clear = (number: bigint): void => {
    guest.dismiss(number).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'putting mail away', cause });
    });
  };

  const takeOwn = async (mail: Mail): Promise<void> => {
    const sent = outbound.claim(mail);
    const isAsk = mail.type === 'proposal' || mail.type === 'request';
    if (sent !== undefined) {
      await router.sent(sent.mail, sent.turn);
      // What is open stays until it is decided and told.
      if (!isAsk) clear(mail.number);
      return;
    }
    // Sent by an earlier incarnation: of a message, nothing waits for it.
    if (isAsk) decisions.found(mail);
  };

  const take = async (mail: Mail): Promise<void> => {
    if (mail.from === self) {
      await takeOwn(mail);
      return;
    }
    if (mail.number <= newest) return;
    newest = mail.number;
    if (settled.has(mail.messageId)) return;
    if (!decisions.takeCounter(mail)) desk.take(mail);
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
