import { makeEmphasis, paragraph } from './layout.ts';
import { isDecision } from './mail.ts';
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

const proposalText = (message: WireMessage): string => {
  const codeNames = texts(message['codeNames']);
  const paths = Array.isArray(message['petNamePaths'])
    ? (message['petNamePaths'] as unknown[])
    : [];
  const values = codeNames.map((name, i) => {
    const path = paths[i];
    const shown = Array.isArray(path) ? path.join('/') : word(path);
    return `${name} = ${shown}`;
  });
  const head = values.length > 0 ? `with ${values.join(', ')}\n` : '';
  return `proposes to run:\n${head}${word(message['source'])}`;
};

/** What a message says, whatever its type, made safe to print. */
export const bodyText = (message: WireMessage): string => {
  switch (message.type) {
    case 'package':
      return visible(packageText(message));
    case 'request':
      return visible(`asks for: ${word(message['description'])}`);
    case 'eval-proposal-reviewer':
    case 'eval-proposal-proposer':
    case 'eval-request':
      return visible(proposalText(message));
    default:
      return visible(`(${message.type}) ${word(message['description'])}`);
  }
};
harden(bodyText);

/** Names of ours stand quoted, so that no name can pose as the reader. */
const partyText = (id: string, names: readonly string[]): string => {
  if (names.includes('SELF') || names.includes('@self')) return 'you';
  if (names.includes('HOST') || names.includes('@host')) return 'HOST';
  const name = names[0];
  return name === undefined
    ? `unknown-${visibleLine(id).slice(0, 6)}`
    : `"${visibleLine(name)}"`;
};

const minuteOf = (date: unknown): string =>
  word(date).slice(0, 16).replace('T', ' ');

/** One message, its head in one line, its body set in below. */
export const mailText = (
  output: Output,
  env: CliPowers['env'],
  message: NamedMessage,
  numbers: ReadonlyMap<string, bigint>,
): string => {
  const { bold, dim } = makeEmphasis(output, env);
  const from = partyText(message.from, message.fromNames);
  const to = partyText(message.to, message.toNames);
  const answered =
    message.replyTo === undefined ? undefined : numbers.get(message.replyTo);
  const thread = answered === undefined ? '' : `  re #${answered}`;
  const decide =
    isDecision(message) && from !== 'you' ? '  (needs a decision)' : '';
  const head = `${bold(`#${message.number}`)}  ${from} → ${to}${thread}  ${dim(visibleLine(minuteOf(message.date)))}${decide}`;
  const names = texts(message['names']).map((name) => `@${visibleLine(name)}`);
  const carries =
    message.type === 'package' && names.length > 0
      ? `\n    ${dim(`carries ${names.join(' ')}`)}`
      : '';
  return `${head}\n${paragraph(output, bodyText(message), 4)}${carries}\n`;
};
harden(mailText);
