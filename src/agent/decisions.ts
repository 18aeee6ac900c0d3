import type {
  AskMail,
  AskOutcome,
  Guest,
  Mail,
  ReviewMail,
} from '../endo/guest.ts';
import type { OpenIndex } from '../proposal/open-index.ts';
import type { MessageRef, OpenRecord } from '../proposal/open-record.ts';
import { reasonText } from '../endo/reason-text.ts';
import { outcomeOfRejection } from '../endo/outcome.ts';
import type { OnAgentEvent } from './events.ts';
import { makeLedger } from './ledger.ts';
import type { Lines } from './lines.ts';
import { release } from './putting-away.ts';

/** Something that was open and is no more. */
export type Decided = {
  readonly messageId: string;
  readonly outcome: AskOutcome;
  /** The HOST's counter-proposal, as long as it is among the mail. */
  readonly counter?: ReviewMail;
};

/** On whose behalf something is asked. */
export type Asker = {
  readonly correspondent: string;
  readonly askedBy: string;
  readonly answers: MessageRef | null;
  /** Where the result or the answer will be named, as `a/b`. */
  readonly resultName: string | null;
};

/**
 * What others have yet to decide. Each thing that was asked is on record before
 * anything else is done with it, is watched in every incarnation until it is
 * decided, and is handed on once.
 */
export type Decisions = {
  /**
   * On record from the call on; durable when it resolves. Never rejects: what
   * could not be stored is found again by its own copy.
   */
  readonly opened: (mail: AskMail, asker: Asker) => Promise<void>;
  /** This turn is under way: what waited for it may be told after it. */
  readonly began: (nodeId: string) => void;
  /** What is not decided yet, oldest first. */
  readonly open: () => readonly OpenRecord[];
  /** Whether an outcome is still to be told in reply to this message. */
  readonly holds: (messageId: string) => boolean;
  /**
   * What earlier incarnations have left open. The outcome of what a turn asked
   * that was cut off is told after that turn, which runs again.
   *
   * @param inbox - as it is at the start
   */
  readonly recover: (inbox: readonly Mail[]) => Promise<void>;
  /** An own proposal or request that this incarnation did not make. */
  readonly found: (mail: AskMail) => void;
  /** Whether the message is the HOST's counter to something that is open. */
  readonly takeCounter: (mail: Mail) => boolean;
  /** What was decided has been told, or need not be. */
  readonly told: (messageId: string) => Promise<void>;
};

/** Characters of a source or a description that a record keeps. */
const LONGEST_ASKED = 2_000;

export const recordOf = (mail: AskMail): Omit<OpenRecord, 'correspondent'> => {
  const isProposal = mail.type === 'proposal';
  const asked = isProposal ? mail.source : mail.description;
  const answerId = isProposal ? mail.resultId : mail.promiseId;
  return {
    version: 1,
    kind: mail.type,
    messageId: mail.messageId,
    number: mail.number,
    decider: mail.to,
    askedBy: null,
    tip: null,
    answers: null,
    asked: asked.slice(0, LONGEST_ASKED),
    resultName: (isProposal && mail.resultName?.join('/')) || null,
    answerId: answerId ?? null,
  };
};
harden(recordOf);

export const makeDecisions = ({
  guest,
  host,
  index,
  lines,
  isSettled,
  onDecided,
  onEvent,
}: {
  readonly guest: Guest;
  /** Handle id of the HOST. */
  readonly host: string;
  readonly index: OpenIndex;
  readonly lines: Lines;
  /** Whether this message, or this outcome, is a settled node. */
  readonly isSettled: (messageId: string) => boolean;
  readonly onDecided: (decided: Decided) => void;
  readonly onEvent: OnAgentEvent;
}): Decisions => {
  // Decided and handed on, in this incarnation.
  const begun = new Set<string>();
  const counters = new Set<string>();
  // Watches that begin with a turn.
  const deferred = new Map<string, (() => void)[]>();

  const store = (record: OpenRecord): Promise<void> =>
    index.put(record).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'recording what is open', cause });
    });

  const decide = (decided: Decided): void => {
    const { messageId, counter } = decided;
    if (begun.has(messageId) || index.get(messageId) === undefined) return;
    begun.add(messageId);
    if (counter !== undefined) counters.add(counter.messageId);
    onDecided(harden(decided));
  };

  /** The counter itself may come by the stream first, and then all is done. */
  const decideByCounter = async (
    messageId: string,
    outcome: AskOutcome & { readonly type: 'countered' },
  ): Promise<void> => {
    const counter = (await guest.listMessages()).find(
      (mail) => mail.messageId === outcome.by,
    );
    decide({
      messageId,
      outcome,
      ...(counter?.type === 'review' && counter.from === host
        ? { counter }
        : {}),
    });
  };

  const watch = (messageId: string, outcome: Promise<AskOutcome>): void => {
    outcome
      .then(async (known) => {
        if (known.type === 'countered') await decideByCounter(messageId, known);
        else decide({ messageId, outcome: known });
      })
      .catch((cause: unknown) => {
        onEvent({ type: 'trouble', during: 'awaiting a decision', cause });
      });
  };

  /** Without the own copy, by the promise alone. */
  const outcomeById = ({ kind, answerId }: OpenRecord): Promise<AskOutcome> =>
    answerId === null
      ? Promise.reject(Error('What was asked is no longer among the mail'))
      : guest.lookupById(answerId).then(
          (value): AskOutcome => ({ type: 'granted', value }),
          (error: unknown) => {
            // The port says what it tried; the decision is what it was told.
            const reason = error instanceof Error ? error.cause : error;
            const text = reasonText(reason ?? error);
            return outcomeOfRejection(kind, text, { state: 'open' });
          },
        );

  const putAway = ({ number }: Mail): void => {
    guest.dismiss(number).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'putting mail away', cause });
    });
  };

  const found = (mail: AskMail): void => {
    if (index.get(mail.messageId) !== undefined) return;
    if (isSettled(mail.messageId)) {
      // It was told, and a crash came before it was put away.
      putAway(mail);
      return;
    }
    // Its record was lost in a crash. It was made for the HOST, or for somebody
    // the HOST trusts as himself: so the HOST is told.
    const record = { ...recordOf(mail), correspondent: host };
    void store(record);
    lines.opened(mail.messageId, record);
    watch(mail.messageId, guest.outcomeOf(mail));
  };

  const holds = (messageId: string): boolean =>
    index.all().some(({ answers }) => answers?.messageId === messageId);

  /** It was told, and a crash came before all was put away. */
  const finish = async (
    { messageId, answers }: OpenRecord,
    inbox: readonly Mail[],
  ): Promise<void> => {
    await index.remove(messageId);
    const answering = inbox.find(
      (mail) => mail.messageId === answers?.messageId,
    );
    if (answering === undefined || holds(answering.messageId)) return;
    await release(guest, answering, makeLedger()).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'putting mail away', cause });
    });
  };

  const recoverOne = (record: OpenRecord, inbox: readonly Mail[]): void => {
    const { messageId } = record;
    const copy = inbox.find((mail) => mail.messageId === messageId);
    const { askedBy } = record;
    const asker = askedBy !== null && isSettled(askedBy) ? askedBy : null;
    lines.opened(messageId, { ...record, tip: record.tip ?? asker });
    const begin = (): void => {
      watch(
        messageId,
        copy?.type === 'proposal' || copy?.type === 'request'
          ? guest.outcomeOf(copy)
          : outcomeById(record),
      );
    };
    const isCutOff =
      askedBy !== null &&
      !isSettled(askedBy) &&
      inbox.some((mail) => mail.messageId === askedBy);
    if (!isCutOff) {
      begin();
      return;
    }
    deferred.set(askedBy, [...(deferred.get(askedBy) ?? []), begin]);
  };

  const counteredBy = (mail: ReviewMail): OpenRecord | undefined =>
    mail.replyTo === undefined
      ? // Endo's daemon does not say which: the newest.
        index
          .all()
          .findLast(
            ({ kind, messageId }) =>
              kind === 'proposal' && !begun.has(messageId),
          )
      : index.get(mail.replyTo);

  return harden({
    opened: (mail: AskMail, asker: Asker) => {
      const record = { ...recordOf(mail), ...asker };
      const stored = store(record);
      lines.opened(mail.messageId, record);
      watch(mail.messageId, guest.outcomeOf(mail));
      return stored;
    },
    began: (nodeId: string) => {
      for (const begin of deferred.get(nodeId) ?? []) begin();
      deferred.delete(nodeId);
    },
    recover: async (inbox: readonly Mail[]) => {
      const records = index.all();
      const told = records.filter(({ messageId }) => isSettled(messageId));
      for (const record of told) await finish(record, inbox);
      for (const record of index.all()) recoverOne(record, inbox);
    },
    found,
    takeCounter: (mail: Mail) => {
      if (mail.type !== 'review' || mail.from !== host) return false;
      if (counters.has(mail.messageId)) return true;
      const record = counteredBy(mail);
      if (record === undefined || begun.has(record.messageId)) return false;
      decide({
        messageId: record.messageId,
        outcome: { type: 'countered', by: mail.messageId },
        counter: mail,
      });
      return true;
    },
    open: () => index.all().filter(({ messageId }) => !begun.has(messageId)),
    holds,
    told: async (messageId: string) => {
      lines.closed(messageId);
      await index.remove(messageId);
      begun.delete(messageId);
    },
  });
};
harden(makeDecisions);
