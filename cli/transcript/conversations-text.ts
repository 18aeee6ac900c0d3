import { makeEmphasis } from '../layout.ts';
import type { CliPowers, Output } from '../powers.ts';
import type { Turn, TurnState } from './archive.ts';
import { widthOf } from './chain-text.ts';
import type { Conversation } from './chains.ts';
import { oneLine } from './one-line.ts';
import type { Reader } from './reader.ts';
import type { StoredOpen } from './records.ts';
import { askedText } from './turn-words.ts';

const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

const isUnder = (state: TurnState): boolean =>
  ['running', 'closing', 'waiting'].includes(state);

const newestTurn = ({ turns, root }: Conversation): Turn =>
  turns.reduce(
    (newest, each) =>
      (each.number ?? -1n) > (newest.number ?? -1n) ? each : newest,
    root,
  );

/** What a list says of one, as data. */
export const conversationFacts = (
  conversation: Conversation,
  reader: Reader,
  open: readonly StoredOpen[],
) => {
  const { root, turns, children, missing } = conversation;
  const ids = new Set(turns.map(({ messageId }) => messageId));
  const newest = newestTurn(conversation);
  return harden({
    rootMessageId: root.messageId,
    ...(missing === undefined ? {} : { missing }),
    with: reader.party(root),
    correspondent: root.correspondent,
    number: reader.numberOf(root.messageId),
    turns: turns.length,
    ends: turns.filter(({ messageId }) => !children.has(messageId)).length,
    running: turns.filter(({ state }) => isUnder(state)).length,
    unreadable: turns.filter(({ state }) => state === 'unreadable').length,
    open: open.filter(({ askedBy, tip }) =>
      [askedBy, tip].some((id) => id !== null && ids.has(id)),
    ).length,
    newest: {
      messageId: newest.messageId,
      number: reader.numberOf(newest.messageId),
      date: reader.dateOf(newest.messageId),
    },
    begins: askedText(root),
  });
};
harden(conversationFacts);

export type ConversationFacts = ReturnType<typeof conversationFacts>;

/** One conversation of the list, in two lines. */
export const conversationText = (
  output: Output,
  env: CliPowers['env'],
  reader: Reader,
  facts: ConversationFacts,
): string => {
  const { bold, dim } = makeEmphasis(output, env);
  const width = widthOf(output);
  const { rootMessageId, newest, turns, ends } = facts;
  const notes = [
    ...(ends > 1 ? [`${ends} branches`] : []),
    ...(facts.running > 0 ? [`${facts.running} running`] : []),
    ...(facts.open > 0 ? [counted(facts.open, 'open question')] : []),
    ...(facts.unreadable > 0 ? [`${facts.unreadable} unreadable`] : []),
    ...(facts.missing === undefined ? [] : ['its beginning is MISSING']),
  ];
  const last =
    newest.messageId === rootMessageId
      ? newest.date
      : `newest ${reader.label(newest.messageId)} ${newest.date}`.trim();
  const head = [
    bold(reader.label(rootMessageId)),
    oneLine(facts.with, Math.floor(width / 3)),
    counted(turns, 'turn'),
    ...(last === '' ? [] : [dim(last)]),
    ...(notes.length === 0 ? [] : [`(${notes.join(', ')})`]),
  ].join('  ');
  const text = facts.begins === '' ? '(no text)' : facts.begins;
  return `${head}\n    ${oneLine(text, width - 4)}\n`;
};
harden(conversationText);
