import { makePromiseKit } from '@endo/promise-kit';
import type { Mail } from './guest.ts';
import { type Intent, isCopyOf } from './intent.ts';

/** How the call ended by which something left. */
type Answer =
  | { readonly type: 'accepted' }
  | { readonly type: 'refused'; readonly reason: unknown };

/** One message that has left, until its copy is seen or not expected any more. */
export type Departure = {
  /** Resolves with the copy, or an answer after which none is to come. */
  readonly ended: Promise<undefined>;
  /** Resolves when the call has ended, however. */
  readonly answered: Promise<undefined>;
  readonly copy: () => Mail | undefined;
  readonly answer: () => Answer | undefined;
  /** Its copy is not expected any more. */
  readonly drop: () => void;
};

/** All that has left and whose copy has not been seen. */
export type Departures = {
  readonly begin: (
    intent: Intent,
    leave: () => Promise<unknown>,
    onSeen: (mail: Mail) => void,
  ) => Departure;
  /** Whether an own message is the copy of something that left from here. */
  readonly offer: (mail: Mail) => boolean;
  /** For copies that are known by other means: a second claim is refused. */
  readonly claim: (messageId: string) => void;
  readonly isClaimed: (messageId: string) => boolean;
};

/** Claims that are remembered: older copies have been put away long since. */
const MOST_CLAIMS = 1000;
/** What never got an answer and may yet come, without end otherwise. */
const MOST_UNSEEN = 16;

const makeClaims = (): Pick<Departures, 'claim' | 'isClaimed'> => {
  const claims = new Set<string>();
  return {
    isClaimed: (messageId) => claims.has(messageId),
    claim: (messageId) => {
      claims.add(messageId);
      const [oldest] = claims;
      if (claims.size > MOST_CLAIMS && oldest !== undefined) {
        claims.delete(oldest);
      }
    },
  };
};

export const makeDepartures = (): Departures => {
  const { claim, isClaimed } = makeClaims();
  type Waiting = {
    readonly intent: Intent;
    readonly seen: (mail: Mail) => void;
  };
  // In the order in which they left: so do their copies come.
  const unseen = new Set<Waiting>();

  return harden({
    claim,
    isClaimed,
    offer: (mail: Mail) => {
      if (isClaimed(mail.messageId)) return true;
      const found = [...unseen].find(({ intent }) => isCopyOf(intent, mail));
      if (found === undefined) return false;
      unseen.delete(found);
      claim(mail.messageId);
      found.seen(mail);
      return true;
    },
    begin: (
      intent: Intent,
      leave: () => Promise<unknown>,
      onSeen: (mail: Mail) => void,
    ) => {
      const { promise: ended, resolve: end } = makePromiseKit<undefined>();
      let copy: Mail | undefined;
      let answer: Answer | undefined;
      const waiting = harden({
        intent,
        seen: (mail: Mail) => {
          copy = mail;
          end(undefined);
          onSeen(mail);
        },
      });
      unseen.add(waiting);
      const [oldest] = unseen;
      if (unseen.size > MOST_UNSEEN && oldest !== undefined) {
        unseen.delete(oldest);
      }
      const answered = leave().then(
        () => {
          answer = { type: 'accepted' };
          // Of a package the copy follows; a question is answered or unasked.
          if (intent.type !== 'package') end(undefined);
          return undefined;
        },
        (reason: unknown) => {
          answer = { type: 'refused', reason };
          end(undefined);
          return undefined;
        },
      );
      return harden({
        ended,
        answered,
        copy: () => copy,
        answer: () => answer,
        drop: () => void unseen.delete(waiting),
      });
    },
  });
};
harden(makeDepartures);
