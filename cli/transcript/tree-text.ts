import { makeEmphasis } from '../layout.ts';
import type { CliPowers, Output } from '../powers.ts';
import type { Turn, TurnState } from './archive.ts';
import { widthOf } from './chain-text.ts';
import type { Conversation } from './chains.ts';
import { oneLine } from './one-line.ts';
import type { Reader } from './reader.ts';
import type { StoredOpen } from './records.ts';
import { answerText, askedText } from './turn-words.ts';

type Strokes = {
  readonly more: string;
  readonly last: string;
  readonly down: string;
  readonly gap: string;
  readonly marks: Readonly<Record<TurnState, string>>;
  readonly arrow: string;
};

const BOXES: Strokes = harden({
  more: '├─',
  last: '└─',
  down: '│ ',
  gap: '  ',
  arrow: '→',
  marks: {
    settled: '●',
    failed: '✗',
    running: '○',
    closing: '○',
    waiting: '○',
    unreadable: '?',
  },
});

const ASCII: Strokes = harden({
  more: '|-',
  last: '`-',
  down: '| ',
  gap: '  ',
  arrow: '->',
  marks: {
    settled: '*',
    failed: 'x',
    running: 'o',
    closing: 'o',
    waiting: 'o',
    unreadable: '?',
  },
});

/** Whether the terminal says that it shows more than ASCII, or says nothing. */
const strokesFor = (env: CliPowers['env']): Strokes => {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || 'UTF-8';
  const isWide = /utf-?8/iu.test(locale) && env['TERM'] !== 'dumb';
  return isWide ? BOXES : ASCII;
};

/** Columns that branches within branches may take. */
const MOST_INDENT = 40;

const shortened = (indent: string): string =>
  indent.length <= MOST_INDENT
    ? indent
    : `…${indent.slice(indent.length - MOST_INDENT + 1)}`;

const WORDS: Readonly<Partial<Record<TurnState, string>>> = harden({
  failed: 'failed',
  running: 'running',
  closing: 'running',
  waiting: 'nothing recorded yet',
  unreadable: 'unreadable',
});

type Drawing = {
  readonly output: Output;
  readonly env: CliPowers['env'];
  readonly reader: Reader;
  readonly open: readonly StoredOpen[];
  /** Message whose line stands out. */
  readonly shown?: string;
};

type Line = {
  readonly turn: Turn;
  /** What stands before the turn's own line. */
  readonly lead: string;
  /** What stands before the lines of what goes on from it. */
  readonly below: string;
};

const lineText = (
  { output, env, reader, open, shown }: Drawing,
  strokes: Strokes,
  { turn, lead }: Line,
): string => {
  const { bold } = makeEmphasis(output, env);
  const { messageId, state } = turn;
  const asked = open.filter(({ askedBy }) => askedBy === messageId);
  const notes = [
    ...(WORDS[state] === undefined ? [] : [WORDS[state]]),
    ...asked.map((each) => `open ${each.kind} ${reader.label(each.messageId)}`),
  ];
  const answer = answerText(turn);
  const head = `${strokes.marks[state]} ${reader.label(messageId)}`;
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const room = widthOf(output) - shortened(lead).length - head.length;
  const words = [
    ...[askedText(turn)].map((text) => oneLine(text, Math.floor(room / 2))),
    ...(answer === '' ? [] : [strokes.arrow, oneLine(answer, room)]),
  ].join(' ');
  const text = oneLine(`${note} ${words}`, room - 1);
  const painted = messageId === shown ? bold(head) : head;
  return `${shortened(lead)}${painted} ${text}`.trimEnd();
};

/**
 * All branches of a conversation, a turn a line. What goes on without branching
 * stays in its column, so that a long conversation is as narrow as a short one.
 */
export const treeText = (
  drawing: Drawing,
  { root, missing, children }: Conversation,
): string => {
  const strokes = strokesFor(drawing.env);
  const { reader } = drawing;
  const lines = [
    `with ${reader.party(root)}`,
    ...(missing === undefined
      ? []
      : [`MISSING: ${reader.label(missing)}, and all before it`]),
  ];
  const waiting: Line[] = [{ turn: root, lead: '', below: '' }];
  for (let line = waiting.pop(); line !== undefined; line = waiting.pop()) {
    lines.push(lineText(drawing, strokes, line));
    const { below } = line;
    const next = children.get(line.turn.messageId) ?? [];
    const drawn = next.map((turn, at): Line => {
      if (next.length === 1) return { turn, lead: below, below };
      const isLast = at === next.length - 1;
      return {
        turn,
        lead: `${below}${isLast ? strokes.last : strokes.more}`,
        below: `${below}${isLast ? strokes.gap : strokes.down}`,
      };
    });
    waiting.push(...drawn.reverse());
  }
  return `${lines.join('\n')}\n`;
};
harden(treeText);
