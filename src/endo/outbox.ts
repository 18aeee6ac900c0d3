import { makeDepartures } from './departures.ts';
import type { Departure } from './departures.ts';
import { addressDraft } from './draft.ts';
import type { Addressed, Draft, DraftPowers } from './draft.ts';
import type { Guest, GuestIdentity, Mail } from './guest.ts';
import { type Intent, isCopyOf } from './intent.ts';
import { makePatience } from './patience.ts';
import { makeQueue } from './queue.ts';
import { failureOf } from './unseen-copy.ts';

/**
 * The way out of a guest, for all of its mail. `send`, `reply`, `request` and
 * `evaluate` return nothing that names the message they made; so one leaves at
 * a time, and the first own message after it that equals it is its copy.
 */
export type Outbox = {
  /**
   * One at a time, in the order of the calls.
   *
   * @param journal - makes the intent durable; nothing leaves before it has
   * @param onSeen - called with the own copy before anything later in the
   *   mailbox is looked at; also when the copy comes after the deadline. Must
   *   not throw
   * @returns the own copy. A proposal or a request is not decided then
   * @throws Error when nothing left; UnseenCopyError when that is not known
   */
  readonly deliver: (
    draft: Draft,
    journal: (intent: Intent) => Promise<void>,
    onSeen?: (mail: Mail) => void,
  ) => Promise<Mail>;
  /**
   * The own copy of what an earlier incarnation meant to send, if it is among
   * the mail and nobody's yet; from then on it is this intent's. `undefined`
   * means on a daemon with exactly-once mail that it has not left.
   *
   * @param isClaimed - whether a copy is on record as some other message's
   */
  readonly trace: (
    intent: Intent,
    isClaimed: (messageId: string) => boolean,
  ) => Promise<Mail | undefined>;
  /**
   * To be told of every own message that the inbox sees, in its order.
   *
   * @returns whether it left by this outbox, or was traced by it
   */
  readonly observe: (mail: Mail) => boolean;
  /**
   * Resolves when what is under way now is seen or given up. Whoever hands on
   * the mailbox must not wait for it: the copy comes that way. Never rejects.
   */
  readonly idle: () => Promise<void>;
  /** Nothing leaves any more; what is waited for is given up. Idempotent. */
  readonly close: (reason: Error) => void;
};

export type OutboxPowers = {
  readonly guest: DraftPowers['guest'] & Pick<Guest, 'listMessages'>;
  readonly identity: Pick<GuestIdentity, 'self' | 'host'>;
  /** The mail that was there at the start, before anything left. */
  readonly present: readonly Mail[];
  /** Rejects when this incarnation may send no more. */
  readonly assertMay: () => Promise<void>;
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
};

/** Milliseconds for a copy to come, and for a listing in which it may be. */
const LONGEST_WAIT_MS = 10_000;

export const makeOutbox = (powers: OutboxPowers): Outbox => {
  const { guest, identity, present, assertMay, startTimer } = powers;
  const inTurn = makeQueue();
  const departures = makeDepartures();
  const patience = makePatience({ limitMs: LONGEST_WAIT_MS, startTimer });
  let highest = -1n;
  let underWay: Promise<unknown> = Promise.resolve();
  let closed: Error | undefined;

  const assertOpen = (): void => {
    if (closed !== undefined) throw closed;
  };

  const ownOf = (mail: readonly Mail[]): readonly Mail[] => {
    const own = mail.filter(({ from }) => from === identity.self);
    for (const { number } of own) if (number > highest) highest = number;
    return own.toSorted((a, b) => Number(a.number - b.number));
  };
  ownOf(present);

  const listOwn = async (): Promise<readonly Mail[]> => {
    const mail = await patience.wait(guest.listMessages());
    assertOpen();
    if (mail !== 'late') return ownOf(mail);
    throw Error('The daemon does not list the mailbox');
  };

  /**
   * Claims what is in the mailbox and has not come by the stream. Never
   * rejects: resolves with what prevented it.
   */
  const look = async (): Promise<unknown> => {
    if (closed !== undefined) return closed;
    try {
      for (const mail of await listOwn()) departures.offer(mail);
      return undefined;
    } catch (cause) {
      return cause;
    }
  };

  /** Looks until a listing that is younger than the answer has no copy. */
  const search = async (departure: Departure): Promise<unknown> => {
    for (;;) {
      const before = departure.answer();
      const cause = await look();
      if (departure.copy() !== undefined) return undefined;
      if (departure.answer() === before) return cause;
    }
  };

  /** The copy may come until a listing after a call's end has shown none. */
  const awaitLate = async (
    departure: Departure,
    cause: unknown,
  ): Promise<void> => {
    const isOver = departure.answer() !== undefined;
    await departure.answered;
    if (departure.answer()?.type === 'refused') {
      departure.drop();
      return;
    }
    const unlisted = isOver ? cause : await look();
    if (unlisted === undefined) departure.drop();
  };

  const depart = async (
    { leave }: Addressed,
    intent: Intent,
    onSeen: (mail: Mail) => void,
  ): Promise<Mail> => {
    const departure = departures.begin(intent, leave, onSeen);
    await patience.wait(departure.ended);
    // What the mailbox says counts for more than what the call has answered.
    const cause =
      departure.copy() === undefined ? await search(departure) : undefined;
    const copy = departure.copy();
    if (copy !== undefined) return copy;
    assertOpen();
    const failure = failureOf(departure, intent, cause);
    void awaitLate(departure, cause);
    throw failure;
  };

  const deliver = async (
    addressing: Promise<Addressed>,
    journal: (intent: Intent) => Promise<void>,
    onSeen: (mail: Mail) => void,
  ): Promise<Mail> => {
    const addressed = await addressing;
    assertOpen();
    const intent = harden({ ...addressed.intent, watermark: highest });
    await Promise.all([assertMay(), journal(intent)]);
    assertOpen();
    // What has been seen meanwhile cannot be the copy either.
    const departing = depart(
      addressed,
      { ...intent, watermark: highest },
      onSeen,
    );
    underWay = departing;
    return departing;
  };

  return harden({
    deliver: (
      draft: Draft,
      journal: (intent: Intent) => Promise<void>,
      onSeen: (mail: Mail) => void = () => undefined,
    ) => {
      const addressing = addressDraft({ guest, identity }, draft);
      // Reported when its turn has come.
      addressing.catch(() => undefined);
      return inTurn(() => deliver(addressing, journal, onSeen));
    },
    trace: (intent: Intent, isClaimed: (messageId: string) => boolean) =>
      inTurn(async () => {
        assertOpen();
        const copy = (await listOwn()).find(
          (mail) =>
            isCopyOf(intent, mail) &&
            !departures.isClaimed(mail.messageId) &&
            !isClaimed(mail.messageId),
        );
        if (copy !== undefined) departures.claim(copy.messageId);
        return copy;
      }),
    observe: (mail: Mail) => {
      const [own] = ownOf([mail]);
      return own !== undefined && departures.offer(own);
    },
    idle: () =>
      underWay.then(
        () => undefined,
        () => undefined,
      ),
    close: (reason: Error) => {
      if (closed !== undefined) return;
      closed = reason;
      patience.end();
    },
  });
};
harden(makeOutbox);
