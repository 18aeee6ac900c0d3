import type { Departure } from './departures.ts';
import type { Intent } from './intent.ts';

/** It is not known whether a message has left, or only by which copy. */
export class UnseenCopyError extends Error {
  /** The daemon has taken the message: it has left. */
  readonly accepted: boolean;

  constructor(accepted: boolean, cause: unknown) {
    super(
      accepted
        ? 'The message was sent, but no copy of it was found in the mailbox: a reply to it will be taken for a new conversation'
        : 'It is unknown whether the message was sent: the daemon has not answered, and no copy was found in the mailbox. See whether it has arrived before it is sent again',
      { cause },
    );
    this.name = 'UnseenCopyError';
    this.accepted = accepted;
  }
}
harden(UnseenCopyError);

const UNASKED =
  'Nothing was asked: the daemon answered at once and asked nobody; the name may have a value already';

/** Why there is no copy. */
export const failureOf = (
  departure: Departure,
  { type }: Intent,
  cause: unknown,
): unknown => {
  const answer = departure.answer();
  if (answer?.type === 'refused') return answer.reason;
  const isAsk = type !== 'package';
  return answer !== undefined && isAsk
    ? Error(UNASKED, { cause })
    : new UnseenCopyError(answer !== undefined, cause);
};
harden(failureOf);
