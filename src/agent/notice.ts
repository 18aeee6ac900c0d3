import type { Mail } from '../endo/guest.ts';
import type { ModelError } from '../model/model-error.ts';
import type { AskedRef } from '../transcript/entry.ts';

/**
 * What Hob itself has to say about a turn, as against what the model says. The
 * mark lets another Hob know one, and not answer it.
 */
const MARK = '[hob notice] ';
const DEPTH = /^\[depth:\d+\] /u;

export const notice = (text: string): string => `${MARK}${text}`;
harden(notice);

/** Whether a message is a notice of a Hob: nothing answers those. */
export const isNotice = (mail: Mail): boolean =>
  mail.type === 'package' &&
  (mail.strings[0] ?? '').replace(DEPTH, '').startsWith(MARK);
harden(isNotice);

const CANNOT_NOW =
  'I cannot answer now; my host can see why in the log. Try again later.';

/** Daemons quote what they refuse, which may be all of a message. */
const LONGEST_REASON = 300;
const reasonOf = (cause: unknown): string =>
  cause instanceof Error
    ? cause.message.slice(0, LONGEST_REASON)
    : 'an unknown error';

const doneSoFar = (done: readonly string[]): string =>
  done.length === 0
    ? 'Nothing was changed.'
    : `Done so far: ${done.join(', ')}.`;

/**
 * @param error - `undefined` for those who are not to know of the HOST's
 *   configuration
 */
export const modelErrorNotice = (
  error: ModelError | undefined,
  done: readonly string[],
): string =>
  error === undefined
    ? notice(CANNOT_NOW)
    : notice(
        `The model gave no answer: ${error.message}. ${error.remedy} ` +
          `${doneSoFar(done)} Reply here to try again.`,
      );
harden(modelErrorNotice);

export const stepsNotice = (steps: number, done: readonly string[]): string =>
  notice(
    `I stopped after ${steps} steps without an end (LAL_MAX_STEPS). ` +
      `${doneSoFar(done)} Reply "go on" to let me continue.`,
  );
harden(stepsNotice);

export const tokensNotice = (tokens: number, done: readonly string[]): string =>
  notice(
    `I stopped after ${tokens} tokens for one message (LAL_TURN_TOKENS). ` +
      `${doneSoFar(done)} Reply "go on" to let me continue.`,
  );
harden(tokensNotice);

export const repeatNotice = (tool: string, done: readonly string[]): string =>
  notice(
    `I stopped: the model called ${tool} three times with the same arguments ` +
      `and the same result. ${doneSoFar(done)} Reply with what to do instead.`,
  );
harden(repeatNotice);

export const interruptedNotice = (done: readonly string[]): string =>
  notice(
    `Stopped, as you asked. ${doneSoFar(done)} Reply here to go on from this point.`,
  );
harden(interruptedNotice);

export const cutOffNotice = (text: string, done: readonly string[]): string =>
  text === ''
    ? notice(
        `The model's answer was cut off at its token limit (LAL_MAX_TOKENS). ` +
          `${doneSoFar(done)} Reply here to try again.`,
      )
    : `${text}\n\n(This answer was cut off at the token limit, LAL_MAX_TOKENS. Reply "go on" for the rest.)`;
harden(cutOffNotice);

/**
 * Without numbers: they are those of our own mailbox, and whoever granted by
 * one would grant something else.
 *
 * @param asked - what others have yet to decide: at least one
 */
export const askedNotice = (asked: readonly AskedRef[]): string => {
  const has = (kind: AskedRef['kind']): boolean =>
    asked.some((each) => each.kind === kind);
  const parts = [
    ...(has('proposal') ? ['proposed code'] : []),
    ...(has('request') ? ['asked for a value'] : []),
  ];
  return notice(`I have ${parts.join(' and ')}, and go on when it is decided.`);
};
harden(askedNotice);

export const unattendedNotice = (count: number): string =>
  notice(
    `Answers to my requests have kept me going ${count} times without a word ` +
      'from you (LAL_MAX_EXCHANGES), so I stop here. Reply "go on" to let me continue.',
  );
harden(unattendedNotice);

export const noAnswerNotice = (done: readonly string[]): string =>
  notice(
    `The model ended its turn without an answer, twice. ${doneSoFar(done)} ` +
      'Reply here to try again.',
  );
harden(noAnswerNotice);

export const refusalNotice = (done: readonly string[]): string =>
  notice(
    `The model, or its provider's filter, refused to answer. ${doneSoFar(done)} ` +
      'Reply here with other words to try again.',
  );
harden(refusalNotice);

export const brokenChainNotice = (missing: string): string =>
  notice(
    'I cannot go on with this conversation: an earlier part of it, message ' +
      `${missing.slice(0, 12)}…, is gone. Send it as a new message.`,
  );
harden(brokenChainNotice);

export const guestBudgetNotice = (): string =>
  notice(
    'I have answered as much mail from others as my host allows for one day ' +
      '(LAL_GUEST_TOKENS). Send this again tomorrow.',
  );
harden(guestBudgetNotice);

/** @param cause - `undefined` for those who are not told */
export const troubleNotice = (cause: unknown): string =>
  cause === undefined
    ? notice(CANNOT_NOW)
    : notice(
        `I could not finish this: ${reasonOf(cause)}. Reply here to try again.`,
      );
harden(troubleNotice);

export const exchangesNotice = (sender: string, exchanges: number): string =>
  notice(
    `I have answered ${sender} ${exchanges} times in one conversation without ` +
      'you (LAL_MAX_EXCHANGES), and answer there no more. A new message from ' +
      'there starts afresh.',
  );
harden(exchangesNotice);

export const damagedRecordNotice = (): string =>
  notice(
    'I was interrupted, and what I had done for this message cannot be read ' +
      'any more. See what is there before you ask again.',
  );
harden(damagedRecordNotice);
