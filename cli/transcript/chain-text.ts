import { makeEmphasis, paragraph } from '../layout.ts';
import type { CliPowers, Output } from '../powers.ts';
import { visible, visibleLine } from '../visible.ts';
import type { Turn, TurnState } from './archive.ts';
import type { Chain } from './chains.ts';
import { oneLine } from './one-line.ts';
import type { Reader } from './reader.ts';
import type { StoredOpen } from './records.ts';
import { askedText, type Step, stepsOf } from './turn-words.ts';

const STATES: Readonly<Record<TurnState, string>> = harden({
  settled: 'settled',
  failed: 'failed',
  running: 'running',
  closing: 'running, about to answer',
  waiting: 'nothing recorded yet: it waits, or for the model',
  unreadable: 'its record cannot be read',
});

export const stateInWords = ({ state }: Pick<Turn, 'state'>): string =>
  STATES[state];
harden(stateInWords);

/** How a text of a turn is shown; all of it is in `--json`. */
const MOST_CHARACTERS = 1_200;
const WIDTH = 80;

export const widthOf = ({ isTTY, columns }: Output): number =>
  isTTY ? Math.max(40, columns) : WIDTH;
harden(widthOf);

const bounded = (text: string): string => {
  if (text.length <= MOST_CHARACTERS) return visible(text);
  const rest = text.length - MOST_CHARACTERS;
  return `${visible(text.slice(0, MOST_CHARACTERS))}… (${rest} more characters; --json has them)`;
};

export const openText = (
  { messageId, kind, asked }: StoredOpen,
  reader: Reader,
): string =>
  `open ${kind} ${reader.label(messageId)}: ${oneLine(asked, MOST_CHARACTERS)}`;
harden(openText);

type Layout = {
  /** The agent's name. */
  readonly name: string;
  readonly output: Output;
  readonly env: CliPowers['env'];
  readonly reader: Reader;
  readonly open: readonly StoredOpen[];
};

const callText = (
  { call, result }: Extract<Step, { readonly type: 'call' }>,
  width: number,
): string => {
  const outcome =
    result === undefined
      ? 'no result yet'
      : `${result.isError ? 'failed: ' : ''}${oneLine(result.content, width)}`;
  const args = oneLine(call.argumentsText, Math.floor(width / 2));
  const text = `- ${visibleLine(call.name)} ${args} → ${outcome}`;
  return `    ${oneLine(text, width - 4)}`;
};

const stepText = (step: Step, output: Output): string =>
  step.type === 'call'
    ? callText(step, widthOf(output))
    : paragraph(output, bounded(step.text), 4);

const footOf = ({ reader }: Layout, turn: Turn): readonly string[] => {
  const { messageId, usage, isSummedUp } = turn;
  const answers = reader.answersTo(messageId).map((number) => `#${number}`);
  const tokens =
    usage === undefined
      ? []
      : [
          `${usage.input} tokens in, ${usage.cached} of them cached, ${usage.output} out`,
        ];
  return [
    [
      ...(answers.length === 0 ? [] : [`answered in ${answers.join(', ')}`]),
      ...tokens,
    ].join('; '),
    isSummedUp ? 'up to here, the model reads a summary' : '',
  ].filter((line) => line !== '');
};

const turnText = (layout: Layout, turn: Turn, place: string): string => {
  const { name, output, env, reader, open } = layout;
  const { bold, dim } = makeEmphasis(output, env);
  const { messageId, problem } = turn;
  const label = reader.label(messageId);
  const date = reader.dateOf(messageId);
  const head = [
    bold(label),
    `from ${reader.party(turn)}`,
    ...(date === '' ? [] : [dim(date)]),
    ...(place === '' ? [] : [place]),
    stateInWords(turn),
  ].join('  ');
  const asked = open.filter(({ askedBy }) => askedBy === messageId);
  const own = [
    ...(problem === undefined ? [] : [visible(problem)]),
    ...asked.map((each) => openText(each, reader)),
    ...footOf(layout, turn),
  ];
  const asking = askedText(turn);
  const steps = stepsOf(turn);
  return [
    head,
    ...(asking === '' ? [] : [paragraph(output, bounded(asking), 4)]),
    ...(steps.length === 0 ? [] : [dim(`  ${visibleLine(name)}:`)]),
    ...steps.map((step) => stepText(step, output)),
    ...own.map((line) => dim(paragraph(output, line, 2))),
  ].join('\n');
};

/** A conversation from its beginning to one turn. */
export const chainText = (layout: Layout, chain: Chain): string => {
  const { turns, missing } = chain;
  const gone =
    missing === undefined
      ? []
      : [
          paragraph(
            layout.output,
            `MISSING: the turn of message ${layout.reader.label(missing)}, and all before it; it was removed, or never kept here`,
            0,
          ),
        ];
  const texts = turns.map((turn, at) => {
    const place = missing === undefined ? `turn ${at + 1}` : '';
    return turnText(layout, turn, place);
  });
  return `${[...gone, ...texts].join('\n\n')}\n`;
};
harden(chainText);
