import { makePromiseKit } from '@endo/promise-kit';
import type { AskMail, Guest, Mail, NamePath, Parcel } from '../endo/guest.ts';
import type { Lease } from './lease.ts';
import type { Outbound, TurnRef } from './outbound.ts';

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

/**
 * The agent's outgoing mail, all of it: each message is announced to
 * `Outbound`, so that its copy is known again, and none leaves once another
 * incarnation holds the lease.
 */
export type Post = {
  readonly send: (
    to: NamePath,
    parcel: Parcel,
    turn: TurnRef | undefined,
  ) => Promise<void>;
  readonly reply: (
    mail: Pick<Mail, 'number' | 'messageId'>,
    parcel: Parcel,
    turn: TurnRef | undefined,
  ) => Promise<void>;
  /**
   * Resolves with the own copy once the question lies in both mailboxes.
   * `onSeen` is called with it before anything later in the mailbox is looked
   * at. Rejects when nothing could be asked.
   */
  readonly ask: (
    ask: Ask,
    turn: TurnRef,
    onSeen: (mail: AskMail) => void,
  ) => Promise<AskMail>;
};

/** A parcel of text alone. */
export const textParcel = (text: string): Parcel =>
  harden({ strings: [text], edgeNames: [], petNames: [] });
harden(textParcel);

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

const shownPaths = (paths: readonly NamePath[]): readonly string[] =>
  paths.map((path) => path.join('/'));

/**
 * Two turns may ask the same at once, of other values or of somebody else.
 *
 * @param to - handle id of whom a request is put to, where that is known
 */
const isCopyOf =
  (ask: Ask, to: string | undefined) =>
  (mail: AskMail): boolean =>
    ask.kind === 'proposal'
      ? mail.type === 'proposal' &&
        mail.source === ask.source &&
        sameList(mail.codeNames, ask.codeNames) &&
        sameList(shownPaths(mail.petNamePaths), shownPaths(ask.petNames))
      : mail.type === 'request' &&
        mail.description === ask.description &&
        (to === undefined || mail.to === to);

const UNASKED =
  'the daemon answered at once and asked nobody; the name may have a value already';

export const makePost = ({
  guest,
  lease,
  outbound,
  isStopped,
  self,
  isKnown,
}: {
  readonly guest: Guest;
  readonly lease: Lease;
  readonly outbound: Outbound;
  readonly isStopped: () => boolean;
  /** Handle id of the agent itself. */
  readonly self: string;
  /** Whether an own proposal or request is on record. */
  readonly isKnown: (messageId: string) => boolean;
}): Post => {
  const assertMay = async (): Promise<void> => {
    await lease.assertHeld();
    if (isStopped()) throw Error('The agent has stopped');
  };

  const leave = async (
    expected: Parameters<Outbound['expect']>[0],
    call: () => Promise<void>,
  ): Promise<void> => {
    await assertMay();
    const forget = outbound.expect(expected);
    try {
      await call();
    } catch (error) {
      forget();
      throw error;
    }
  };

  const callFor = (ask: Ask): Promise<unknown> =>
    ask.kind === 'proposal'
      ? guest.evaluate(
          undefined,
          ask.source,
          ask.codeNames,
          ask.petNames,
          ask.resultName,
        )
      : guest.request(ask.to, ask.description, ask.responseName);

  /** A name may also be that of an agent, whose handle is another id. */
  const handleOf = async (ask: Ask): Promise<string | undefined> => {
    if (ask.kind === 'proposal') return undefined;
    const located = await guest.locate(ask.to);
    return located?.type === 'handle' ? located.id : undefined;
  };

  const findCopy = async (
    matches: (mail: AskMail) => boolean,
  ): Promise<AskMail | undefined> =>
    (await guest.listMessages())
      .filter((mail) => mail.type === 'proposal' || mail.type === 'request')
      .findLast(
        (mail) =>
          mail.from === self && !isKnown(mail.messageId) && matches(mail),
      );

  const ask = async (
    asked: Ask,
    turn: TurnRef,
    onSeen: (mail: AskMail) => void,
  ): Promise<AskMail> => {
    const to = await handleOf(asked);
    await assertMay();
    const copy = makePromiseKit<AskMail>();
    let first: AskMail | undefined;
    const isSeen = (): boolean => first !== undefined;
    const seen = (mail: AskMail): void => {
      if (isSeen()) return;
      first = mail;
      onSeen(mail);
      copy.resolve(mail);
    };
    const matches = isCopyOf(asked, to);
    const forget = outbound.expectAsked({ matches, turn, seen });
    // The call ends when it is decided, which is as a rule long after; before
    // its copy has been seen, that may be an answer or a failure to ask.
    const ended = callFor(asked).then(
      () => Error(`Nothing was asked: ${UNASKED}`),
      (reason: unknown) => reason,
    );
    const ending = await Promise.race([copy.promise, ended]);
    if (isSeen()) return copy.promise;
    const found = await findCopy(matches);
    forget();
    if (found !== undefined) seen(found);
    if (isSeen()) return copy.promise;
    throw ending;
  };

  return harden({
    send: (to: NamePath, parcel: Parcel, turn: TurnRef | undefined) =>
      leave({ parcel, replyTo: undefined, turn }, () => guest.send(to, parcel)),
    reply: (
      { number, messageId }: Pick<Mail, 'number' | 'messageId'>,
      parcel: Parcel,
      turn: TurnRef | undefined,
    ) =>
      leave({ parcel, replyTo: messageId, turn }, () =>
        guest.reply(number, parcel),
      ),
    ask,
  });
};
harden(makePost);
