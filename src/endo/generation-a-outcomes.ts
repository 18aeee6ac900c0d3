import { E } from '@endo/far';
import { attempt } from './attempt.ts';
import type { GuestPowers } from './generation-a-powers.ts';
import type { AskMail, AskOutcome, AskState, Mail, Mailbox } from './guest.ts';
import { readMail } from './mail.ts';
import { outcomeOfRejection } from './outcome.ts';
import { reasonText } from './reason-text.ts';

/** The promises of a message, which are not part of what is handed out. */
type Live = {
  readonly settled: Promise<unknown>;
  readonly result: unknown;
};

export type Outcomes = {
  /** A message from the wire, as data; its promises are kept for `outcomeOf`. */
  readonly read: (raw: unknown) => Mail;
  readonly outcomeOf: Mailbox['outcomeOf'];
};

/** Every reading of a message brings its promises, and nobody need await them. */
const quietly = (promise: unknown): Promise<unknown> => {
  const kept = Promise.resolve(promise);
  kept.catch(() => undefined);
  return kept;
};

const isAsk = (mail: Mail): mail is AskMail =>
  mail.type === 'proposal' || mail.type === 'request';

/** What becomes of proposals and requests, over generation A. */
export const makeOutcomes = (
  powers: Promise<GuestPowers>,
  listMessages: Mailbox['listMessages'],
): Outcomes => {
  const live = new WeakMap<Mail, Live>();

  const read = (raw: unknown): Mail => {
    const mail = readMail(raw);
    const { settled, result } = raw as Partial<Live>;
    const kept = { settled: quietly(settled), result: quietly(result) };
    if (isAsk(mail) && settled !== undefined) live.set(mail, kept);
    return mail;
  };

  /** As it is now; the last that was known when the copy is gone. */
  const readAnew = async (mail: AskMail): Promise<AskMail> => {
    const found = (await listMessages()).find(
      ({ messageId }) => messageId === mail.messageId,
    );
    return found !== undefined && isAsk(found) ? found : mail;
  };

  const valueOf = (mail: AskMail, { result }: Live): Promise<unknown> => {
    if (mail.type === 'proposal') return result as Promise<unknown>;
    return mail.promiseId === undefined
      ? Promise.reject(Error('the request names no answer'))
      : E(powers).lookupById(mail.promiseId);
  };

  const outcomeOf = async (mail: AskMail): Promise<AskOutcome> => {
    const promises = live.get(mail);
    if (promises === undefined) {
      throw Error(
        `Cannot await the outcome of message ${mail.number}: it was not read here, or holds no promise`,
      );
    }
    await attempt(
      `await the outcome of message ${mail.number}`,
      promises.settled,
    );
    const value = valueOf(mail, promises).then(
      (granted): AskOutcome => ({ type: 'granted', value: granted }),
      async (reason: unknown): Promise<AskOutcome> => {
        const { state, counteredBy } = await stateOf(mail);
        return outcomeOfRejection(mail.type, reasonText(reason), {
          state,
          counteredBy,
        });
      },
    );
    return harden(await value);
  };

  const stateOf = async (
    mail: AskMail,
  ): Promise<{
    readonly state: AskState | undefined;
    readonly counteredBy: string | undefined;
  }> => {
    // Only a daemon that told a state before has another to tell.
    if (mail.state === undefined) {
      return { state: undefined, counteredBy: undefined };
    }
    const now = await readAnew(mail);
    return {
      state: now.state ?? mail.state,
      counteredBy: now.type === 'proposal' ? now.counteredBy : undefined,
    };
  };

  return harden({ read, outcomeOf });
};
harden(makeOutcomes);
