import { codeLines, numberedCode } from './code-text.ts';
import { isOpen, mayDecide, stateOf } from './decisions.ts';
import { indent, wrap } from './layout.ts';
import type { NamedMessage } from './mail.ts';
import type { Output } from './powers.ts';
import { visible, visibleLine } from './visible.ts';

/** What a person types to decide, in the shell or in a conversation. */
export type Verbs = {
  readonly grant: (number: bigint) => string;
  readonly reject: (number: bigint) => string;
  readonly counter: (number: bigint) => string;
  readonly resolve: (number: bigint) => string;
  readonly showAll: (number: bigint) => string;
};

const HOB = 'npm run -s hob --';

export const shellVerbs: Verbs = harden({
  grant: (number) => `${HOB} grant ${number}`,
  reject: (number) => `${HOB} reject ${number} '<reason>'`,
  counter: (number) => `${HOB} counter ${number} --source '<code>'`,
  resolve: (number) => `${HOB} resolve ${number} <name>`,
  showAll: (number) => `${HOB} inbox ${number}`,
});

export const talkVerbs: Verbs = harden({
  grant: (number) => `/grant ${number}`,
  reject: (number) => `/reject ${number} <reason>`,
  counter: (number) => `/counter ${number} <code>`,
  resolve: (number) => `/resolve ${number} <name>`,
  showAll: (number) => `/show ${number}`,
});

export type DecisionLayout = {
  readonly output: Output;
  readonly verbs: Verbs;
  /** Everything, however long. */
  readonly whole: boolean;
  /** Columns on the left that the caller leaves free. */
  readonly spaces: number;
};

const MOST_ROWS = 40;
const MOST_VALUES = 20;
const MOST_PURPOSE = 400;
const MOST_NAMES = 3;

const PURPOSE = /^\s*\/\/ ?purpose: ?(.*)$/iu;

const word = (value: unknown): string =>
  typeof value === 'string' ? value : '';

const items = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : [];

const quoted = (text: string): string => `"${visibleLine(text)}"`;

const bounded = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;

const widthFor = ({ output, spaces }: DecisionLayout): number =>
  Math.max(24, output.columns - spaces);

/** No word of others is so long that its end begins a line by itself. */
const breakLong = (text: string, width: number): string =>
  text.replaceAll(new RegExp(`[^\\n]{${width}}(?=[^\\n])`, 'gu'), '$&\n');

const prose = (layout: DecisionLayout, text: string): string => {
  if (!layout.output.isTTY) return text;
  const width = widthFor(layout);
  return breakLong(wrap(text, width), width);
};

/** The command stands on a line of its own, to be copied. */
const cutNotice = (
  layout: DecisionLayout,
  what: string,
  { number }: NamedMessage,
): string =>
  `${prose(layout, `NOT ALL IS SHOWN: ${what}; all of it:`)}\n  ${layout.verbs.showAll(number)}`;

const claimedName = (path: unknown): string =>
  Array.isArray(path) ? path.map(String).join('/') : word(path);

/** By the reader's own names: what the proposer calls it is a claim. */
const valueLine = (
  codeName: string,
  ownNames: readonly string[],
  claim: string,
): string => {
  const name = visibleLine(codeName);
  if (ownNames.length === 0) {
    const says = claim === '' ? '' : `; the proposer calls it ${quoted(claim)}`;
    return `${name} = unknown to you${says}`;
  }
  const shown = ownNames.slice(0, MOST_NAMES).map(quoted).join(', also ');
  return `${name} = your ${shown}`;
};

const valuesText = (layout: DecisionLayout, message: NamedMessage): string => {
  const codeNames = items(message['codeNames']).map(String);
  if (codeNames.length === 0) return 'it is given no values of anybody';
  const claims = items(message['petNamePaths']);
  const { valueNames = [] } = message;
  const most = layout.whole ? codeNames.length : MOST_VALUES;
  const lines = codeNames
    .slice(0, most)
    .map((name, i) =>
      indent(
        prose(
          { ...layout, spaces: layout.spaces + 2 },
          valueLine(name, valueNames[i] ?? [], claimedName(claims[i])),
        ),
        2,
      ),
    );
  const rest = codeNames.length - lines.length;
  const more =
    rest > 0 ? [cutNotice(layout, `${rest} more values`, message)] : [];
  return ['it is given the values:', ...lines, ...more].join('\n');
};

const codeText = (layout: DecisionLayout, message: NamedMessage): string => {
  const source = word(message['source']);
  const limit = layout.whole ? Infinity : MOST_ROWS;
  const { rows, lines, missing } = numberedCode(
    source,
    widthFor(layout),
    limit,
  );
  const notice =
    missing > 0
      ? [
          cutNotice(
            layout,
            `${missing} of ${lines} lines are missing here`,
            message,
          ),
        ]
      : [];
  return ['the code:', ...rows, ...notice].join('\n');
};

const purposeText = (layout: DecisionLayout, message: NamedMessage): string => {
  const [first = ''] = codeLines(word(message['source']));
  const purpose = PURPOSE.exec(first)?.[1]?.trim() ?? '';
  return purpose === ''
    ? 'it does not say what for'
    : prose(
        layout,
        `what for, in the proposer's own words: ${quoted(bounded(purpose, MOST_PURPOSE))}`,
      );
};

const STATES: Readonly<Record<string, string>> = harden({
  open: 'open',
  running: 'granted, and its code is running',
  granted: 'granted',
  failed: 'granted, but its code failed',
  rejected: 'rejected',
  countered: 'countered',
  lost: 'granted, but the daemon ended before its code did: lost, and not run again',
});

/** How far a decision is, in words; `undefined` when the daemon does not say. */
export const stateText = (
  message: NamedMessage,
  numbers: ReadonlyMap<string, bigint>,
): string | undefined => {
  const state = stateOf(message);
  if (state === undefined) return undefined;
  const counter = numbers.get(word(message['counteredBy']));
  if (state === 'countered' && counter !== undefined) {
    return `countered by #${counter}`;
  }
  // Its code was proposed by the other end, or it was declined: its mail tells.
  const isOwnCounter =
    message.type === 'eval-proposal-proposer' && message.replyTo !== undefined;
  if (isOwnCounter && state === 'rejected') return 'closed';
  return STATES[state] ?? visibleLine(state);
};
harden(stateText);

/** A guest cannot grant what its host proposes to it, only propose it itself. */
const isFromHost = ({ fromNames }: NamedMessage): boolean =>
  fromNames.includes('HOST') && !fromNames.includes('SELF');

const toType = (
  { verbs }: DecisionLayout,
  message: NamedMessage,
): readonly string[] => {
  if (!isOpen(message) || !mayDecide(message)) return [];
  const { number, type } = message;
  const lines =
    type === 'request'
      ? [verbs.resolve(number), verbs.reject(number)]
      : isFromHost(message)
        ? [verbs.reject(number)]
        : [verbs.grant(number), verbs.reject(number), verbs.counter(number)];
  return ['to decide:', ...lines.map((line) => `  ${line}`)];
};

const proposalText = (
  layout: DecisionLayout,
  message: NamedMessage,
): readonly string[] => [
  message.type === 'eval-proposal-proposer'
    ? 'you proposed to run code'
    : 'proposes to run code',
  purposeText(layout, message),
  valuesText(layout, message),
  codeText(layout, message),
];

/**
 * A request or a proposal, as one who has to judge it needs it: nothing of the
 * other end stands without its margin, quotes or mark.
 */
export const decisionText = (
  layout: DecisionLayout,
  message: NamedMessage,
): string => {
  const body =
    message.type === 'request'
      ? [prose(layout, visible(`asks for: ${word(message['description'])}`))]
      : proposalText(layout, message);
  return [...body, ...toType(layout, message)].join('\n');
};
harden(decisionText);
