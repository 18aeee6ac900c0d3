import type { AskOutcome, ProposalMail, ReviewMail } from '../endo/guest.ts';
import { quoteAscii, quoteText } from '../endo/quote.ts';
import { boundText, render } from '../tool/render.ts';
import type { OpenRecord } from './open-record.ts';
import { bindingLines, changedLines, type NamesOf } from './proposal-text.ts';
import { withoutPurpose } from './purpose.ts';

/**
 * What the model is told of a decision. Every word of others stands within a
 * JSON string, so that none can pose as a header or as the HOST's.
 */

/** Characters of a reason; a daemon may quote a whole message in one. */
const LONGEST_REASON = 2_000;

const quoteReason = (reason: string): string =>
  quoteText(
    reason.length > LONGEST_REASON
      ? `${reason.slice(0, LONGEST_REASON)}…`
      : reason,
  );

const onOneLine = (value: unknown): string =>
  typeof value === 'string'
    ? quoteText(value)
    : render(value).replaceAll('\n', String.raw`\n`);

const nameOf = ({ kind, number }: OpenRecord): string =>
  `Your ${kind} #${number}`;

/** Who decided: the HOST decides proposals, the one who was asked a request. */
const headline = (
  record: OpenRecord,
  outcome: AskOutcome,
  decider: string,
): string => {
  const subject = nameOf(record);
  switch (outcome.type) {
    case 'granted':
      return `${subject} was granted by ${decider}. Result: ${onOneLine(outcome.value)}`;
    case 'failed':
      return `${subject} was granted by ${decider}, but the code failed. Error: ${quoteReason(outcome.error)}`;
    case 'rejected':
      return `${subject} was rejected by ${decider}. Reason: ${quoteReason(outcome.reason)}`;
    case 'countered':
      return `${subject} was countered by ${decider}`;
    case 'lost':
      return `${subject} was granted by ${decider}, but the daemon ended while the code ran. It may have run in part or not at all, and is not run again. Check before you propose it anew. (${quoteReason(outcome.reason)})`;
  }
};

/** `You proposed: "…"`: what a decision is about, and where its result is. */
const subjectLines = (
  { kind, asked, resultName }: OpenRecord,
  outcome: AskOutcome,
): readonly string[] => {
  const verb = kind === 'proposal' ? 'You proposed' : 'You asked for';
  const named =
    outcome.type === 'granted' && resultName !== null
      ? [`It is named ${quoteAscii(resultName)}.`]
      : [];
  return [...named, `${verb}: ${quoteText(asked)}`];
};

/**
 * @param decider - `HOST`, or a quoted name: from `Correspondents.describe`
 */
export const outcomeText = (
  record: OpenRecord,
  outcome: AskOutcome,
  decider: string,
): string =>
  [
    boundText(headline(record, outcome, decider)),
    ...subjectLines(record, outcome),
  ].join('\n');
harden(outcomeText);

/** A counter-proposal: the whole code, what it is given, and what changed. */
export const counterText = async (
  record: OpenRecord,
  counter: ReviewMail,
  own: ProposalMail | undefined,
  namesOf: NamesOf,
): Promise<string> => {
  const { source, number } = counter;
  const values = await bindingLines(counter, namesOf);
  const changes =
    own === undefined
      ? []
      : changedLines(withoutPurpose(own.source), withoutPurpose(source));
  return [
    `${nameOf(record)} was countered by HOST, in message #${number}. The HOST proposes this code instead: ${quoteText(source)}`,
    ...(values.length === 0
      ? ['It is given no values.']
      : ['It is given:', ...values]),
    ...(changes.length === 0 ? [] : ['Lines that differ:', ...changes]),
    `You proposed: ${quoteText(record.asked)}`,
    'To accept, propose exactly that code with evaluate; otherwise say why not.',
  ].join('\n');
};
harden(counterText);

/** A counter-proposal that was dismissed before it could be read. */
export const counterGoneText = (record: OpenRecord): string =>
  `${nameOf(record)} was countered by HOST, but the counter-proposal is no longer among your mail. You proposed: ${quoteText(record.asked)}`;
harden(counterGoneText);
