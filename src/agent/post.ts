import type { Draft } from '../endo/draft.ts';
import type { AskMail, Guest, Mail, NamePath, Parcel } from '../endo/guest.ts';
import type { Intent } from '../endo/intent.ts';
import type { Outbox } from '../endo/outbox.ts';
import { UnseenCopyError } from '../endo/unseen-copy.ts';
import type { OnAgentEvent } from './events.ts';
import type { Router, TurnRef } from './router.ts';

/** What is asked of others, as the daemon takes it. */
export type Ask =
  | {
      readonly kind: 'proposal';
      readonly source: string;
      readonly codeNames: readonly string[];
      readonly petNames: readonly NamePath[];
      readonly resultName: NamePath | undefined;
    }
  | {
      readonly kind: 'request';
      readonly to: NamePath;
      readonly description: string;
      readonly responseName: NamePath;
    };

/** For whom a message leaves, and what is written down before it does. */
export type Sender = {
  readonly turn: TurnRef;
  /** Of the tool call, or of the closing reply: one message a key at a time. */
  readonly key: string;
  /** Makes durable what is about to leave. */
  readonly journal: (intent: Intent, resultName?: string) => Promise<void>;
  /**
   * With the own copy, before anything later in the mailbox is looked at.
   * Must not throw.
   *
   * @param filed - resolves when replies to it find the turn after a restart
   */
  readonly onSeen: (mail: Mail, filed: Promise<void>) => void;
};

/**
 * The agent's outgoing mail, all of it: each message leaves by the outbox, so
 * that its copy is known again, and none once another incarnation holds the
 * lease. Resolves when the message lies in both mailboxes.
 */
export type Post = {
  /** @param sender - `undefined` for what the agent itself has to say */
  readonly send: (
    to: NamePath,
    parcel: Parcel,
    sender: Sender | undefined,
  ) => Promise<void>;
  readonly reply: (
    mail: Pick<Mail, 'number' | 'messageId' | 'from' | 'to'>,
    parcel: Parcel,
    sender: Sender,
  ) => Promise<void>;
  /** `onSeen` is called with the own copy as the sender's is. */
  readonly ask: (
    ask: Ask,
    sender: Sender,
    onSeen: (mail: AskMail) => void,
  ) => Promise<void>;
};

/** A parcel of text alone. */
export const textParcel = (text: string): Parcel =>
  harden({ strings: [text], edgeNames: [], petNames: [] });
harden(textParcel);

const draftOf = (ask: Ask, key: string): Draft =>
  ask.kind === 'proposal'
    ? { type: 'proposal', key, ...ask }
    : { type: 'request', key, ...ask };

const AGENT = 'agent';

export const makePost = ({
  guest,
  outbox,
  router,
  self,
  onEvent,
}: {
  readonly guest: Pick<Guest, 'dismiss'>;
  readonly outbox: Outbox;
  readonly router: Pick<Router, 'sent'>;
  /** Handle id of the agent itself. */
  readonly self: string;
  readonly onEvent: OnAgentEvent;
}): Post => {
  const putAway = ({ number }: Mail): void => {
    guest.dismiss(number).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'putting mail away', cause });
    });
  };

  const deliver = async (
    draft: Draft,
    sender: Sender | undefined,
    resultName?: string,
    onAsked: (mail: AskMail) => void = () => undefined,
  ): Promise<void> => {
    const journal = (intent: Intent): Promise<void> =>
      sender?.journal(intent, resultName) ?? Promise.resolve();
    const onSeen = (mail: Mail): void => {
      if (mail.type === 'other' || mail.type === 'review') return;
      const filed = router.sent(mail, sender?.turn);
      if (sender === undefined) putAway(mail);
      else sender.onSeen(mail, filed);
      if (mail.type !== 'package') onAsked(mail);
    };
    try {
      await outbox.deliver(harden(draft), journal, onSeen);
    } catch (error) {
      // It has left: only replies to it will be taken for something new.
      const hasLeft = error instanceof UnseenCopyError && error.accepted;
      if (!hasLeft) throw error;
      onEvent({
        type: 'trouble',
        during: 'looking for own mail',
        cause: error,
      });
    }
  };

  return harden({
    send: (to: NamePath, parcel: Parcel, sender: Sender | undefined) =>
      deliver({ type: 'send', key: sender?.key ?? AGENT, to, parcel }, sender),
    reply: (
      { number, messageId, from, to }: Parameters<Post['reply']>[0],
      parcel: Parcel,
      sender: Sender,
    ) => {
      const other = from === self ? to : from;
      const answers = { number, messageId };
      const { key } = sender;
      return deliver(
        { type: 'reply', key, answers, to: other, parcel },
        sender,
      );
    },
    ask: (asked: Ask, sender: Sender, onSeen: (mail: AskMail) => void) => {
      const path =
        asked.kind === 'proposal' ? asked.resultName : asked.responseName;
      const draft = draftOf(asked, sender.key);
      return deliver(draft, sender, path?.join('/'), onSeen);
    },
  });
};
harden(makePost);
