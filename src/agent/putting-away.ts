import type { Guest, Mail, ReviewMail } from '../endo/guest.ts';
import { withoutPurpose } from '../proposal/purpose.ts';
import type { OnAgentEvent } from './events.ts';
import type { Ledger } from './ledger.ts';

/** Taking out of the inbox what is over. What must stay is known by its node. */

export type PutAwayPowers = {
  readonly guest: Guest;
  readonly onEvent: OnAgentEvent;
};

/**
 * A request stays until it is answered; values that came with a message and
 * are named nowhere yet keep it.
 */
export const mayDismiss = (mail: Mail, ledger: Ledger): boolean => {
  if (mail.type === 'request') return ledger.hasDecided(mail.number);
  if (mail.type !== 'package') return true;
  const adopted = ledger.adoptedEdges(mail.number);
  return mail.names.every((name) => adopted.has(name));
};
harden(mayDismiss);

/**
 * Take a message that is over out of the inbox, unless it must stay.
 *
 * Contract: never rejects. What fails here is not the sender's trouble.
 *
 * @param isHeld - something is open on its behalf, and is told in reply to it
 */
export const putAway = (
  { guest, onEvent }: PutAwayPowers,
  mail: Mail,
  ledger: Ledger,
  isHeld = false,
): Promise<void> => {
  const isOver = mayDismiss(mail, ledger) || ledger.wishesSilence();
  if (!isOver || isHeld) return Promise.resolve();
  return guest.dismiss(mail.number).catch((cause: unknown) => {
    onEvent({ type: 'trouble', during: 'putting mail away', cause });
  });
};
harden(putAway);

const hasName = async (guest: Guest, id: string): Promise<boolean> =>
  (await guest.reverseIdentify(id)).length > 0;

/**
 * A message that was held and is no more: nothing is open on its behalf. It
 * stays for an answer that is still due, and for values that have no name here.
 */
export const release = async (
  guest: Guest,
  mail: Mail,
  ledger: Ledger,
): Promise<void> => {
  if (mail.type === 'request') {
    const { state = 'open', number } = mail;
    if (state === 'open' && !ledger.hasDecided(number)) return;
  }
  const ids = mail.type === 'package' ? mail.ids : [];
  const named = await Promise.all(ids.map((id) => hasName(guest, id)));
  if (named.includes(false)) return;
  await guest.dismiss(mail.number);
};
harden(release);

/** What the HOST is told in the daemon of his counter-proposal. */
const verdictOn = ({ source }: ReviewMail, ledger: Ledger): string => {
  const proposed = ledger
    .asked()
    .flatMap((each) => (each.kind === 'proposal' ? [each.source] : []));
  if (proposed.length === 0) return 'declined';
  const isSame = proposed.some(
    (each) => withoutPurpose(each).trim() === withoutPurpose(source).trim(),
  );
  return isSame
    ? 'accepted: proposed anew as it stands'
    : 'answered with another proposal';
};

/**
 * A counter-proposal is nobody's to grant any more: what it says is proposed
 * anew, or is not. Rejected, so that it is open nowhere, and dismissed.
 */
export const closeCounter = async (
  { guest, onEvent }: PutAwayPowers,
  counter: ReviewMail,
  ledger: Ledger,
): Promise<void> => {
  const { number } = counter;
  if (!ledger.hasDecided(number)) {
    await guest.reject(number, verdictOn(counter, ledger)).catch(() => {
      // On Endo's daemon a proposal cannot be rejected; it goes all the same.
    });
  }
  await guest.dismiss(number).catch((cause: unknown) => {
    onEvent({ type: 'trouble', during: 'putting mail away', cause });
  });
};
harden(closeCounter);
