import { decisionText, shellVerbs, stateText } from './decision-text.ts';
import { isOpen, isProposal, mayDecide } from './decisions.ts';
import { indent, makeEmphasis, paragraph } from './layout.ts';
import type { NamedMessage } from './mail.ts';
import type { CliPowers, Output } from './powers.ts';
import type { WireMessage } from './remote.ts';
import { visible, visibleLine } from './visible.ts';

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];

const word = (value: unknown): string =>
  typeof value === 'string' ? value : '';

/** Text and values of a package, as one reads them: `see @file now`. */
export const packageText = (message: WireMessage): string => {
  const strings = texts(message['strings']);
  const names = texts(message['names']);
  const parts: string[] = [];
  for (let i = 0; i < Math.max(strings.length, names.length); i += 1) {
    parts.push(strings[i] ?? '');
    const name = names[i];
    if (name !== undefined) parts.push(`@${name}`);
  }
  return parts.join('');
};
harden(packageText);

/** What a message says that is no decision, made safe to print. */
export const bodyText = (message: WireMessage): string => {
  if (message.type === 'package') return visible(packageText(message));
  // Kinds of other daemons, which cannot be answered from here.
  const texts = [word(message['description']), word(message['source'])];
  return visible(`(${message.type}) ${texts.join('\n')}`).trim();
};
harden(bodyText);

/** Names of ours stand quoted, so that no name can pose as the reader. */
export const partyText = (id: string, names: readonly string[]): string => {
  if (names.includes('SELF') || names.includes('@self')) return 'you';
  if (names.includes('HOST') || names.includes('@host')) return 'HOST';
  const name = names[0];
  return name === undefined
    ? `unknown-${visibleLine(id).slice(0, 6)}`
    : `"${visibleLine(name)}"`;
};
harden(partyText);

/** To the minute, or nothing. */
export const minuteOf = (date: unknown): string =>
  word(date).slice(0, 16).replace('T', ' ');
harden(minuteOf);

/** What a decision waits for, or what came of it. */
const stateMark = (
  message: NamedMessage,
  numbers: ReadonlyMap<string, bigint>,
): string => {
  if (isOpen(message) && mayDecide(message)) return '  (needs a decision)';
  const state = stateText(message, numbers);
  return state === undefined ? '' : `  (${state})`;
};

/**
 * One message, its head in one line, its body set in below.
 *
 * @param whole - code and values of a proposal to their end
 */
export const mailText = (
  output: Output,
  env: CliPowers['env'],
  message: NamedMessage,
  numbers: ReadonlyMap<string, bigint>,
  whole = false,
): string => {
  const { bold, dim } = makeEmphasis(output, env);
  const from = partyText(message.from, message.fromNames);
  const to = partyText(message.to, message.toNames);
  const answered =
    message.replyTo === undefined ? undefined : numbers.get(message.replyTo);
  const thread = answered === undefined ? '' : `  re #${answered}`;
  const isToDecide = message.type === 'request' || isProposal(message);
  const mark = isToDecide ? stateMark(message, numbers) : '';
  const head = `${bold(`#${message.number}`)}  ${from} → ${to}${thread}  ${dim(visibleLine(minuteOf(message.date)))}${mark}`;
  const names = texts(message['names']).map((name) => `@${visibleLine(name)}`);
  const carries =
    message.type === 'package' && names.length > 0
      ? `\n    ${dim(`carries ${names.join(' ')}`)}`
      : '';
  const layout = { output, verbs: shellVerbs, whole, spaces: 4 };
  const body = isToDecide
    ? indent(decisionText(layout, message), 4)
    : paragraph(output, bodyText(message), 4);
  return `${head}\n${body}${carries}\n`;
};
harden(mailText);
