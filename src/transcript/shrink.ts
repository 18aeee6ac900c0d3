import type { ChatMessage } from '../model/chat.ts';
import { cutText } from './cut-text.ts';
import type { TokenEstimate } from './estimate.ts';
import { withPreface } from './assembly.ts';

/**
 * What of one turn the model is shown. It only ever shrinks, and grows at its
 * end, so that what was shown before stays the beginning of the request as
 * long as there is room.
 */
export type TurnView = {
  /** The turn's own messages, one for one, some of them shortened. */
  readonly messages: readonly ChatMessage[];
  /** Oldest steps (an answer and all that follows it) that are not shown. */
  readonly stepsLeftOut: number;
};

export const emptyView: TurnView = harden({ messages: [], stepsLeftOut: 0 });
harden(emptyView);

/** Below this, a cut would save next to nothing, in UTF-16 code units. */
const WORTH_CUTTING = 400;
/** Names of tools in the note about steps that were left out. */
const LONGEST_LIST = 400;

/** @param messages - all of the turn; those that were seen before, unchanged */
export const extendView = (
  { messages: shown, stepsLeftOut }: TurnView,
  messages: readonly ChatMessage[],
): TurnView =>
  harden({
    messages: [...shown, ...messages.slice(shown.length)],
    stepsLeftOut,
  });
harden(extendView);

const stepStarts = (messages: readonly ChatMessage[]): readonly number[] =>
  messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []));

const leftOutNote = (steps: readonly ChatMessage[], count: number): string => {
  const names = steps.flatMap((message) =>
    message.role === 'assistant'
      ? message.toolCalls.map(({ name }) => name)
      : [],
  );
  const list = [...new Set(names)].join(', ').slice(0, LONGEST_LIST);
  const calls = list === '' ? '' : ` In them you called: ${list}.`;
  return `(The first ${count} steps of your own work on this did not fit and are left out.${calls})`;
};

/** The messages of the view: calls with all of their results, or neither. */
export const showTurn = ({
  messages,
  stepsLeftOut,
}: TurnView): readonly ChatMessage[] => {
  if (stepsLeftOut === 0) return messages;
  const starts = stepStarts(messages);
  const from = starts[stepsLeftOut] ?? messages.length;
  const opening = messages.slice(0, starts[0]);
  const gone = messages.slice(opening.length, from);
  const note = leftOutNote(gone, stepsLeftOut);
  return harden([...withPreface([note], opening), ...messages.slice(from)]);
};
harden(showTurn);

const cutResult = (message: ChatMessage): ChatMessage => ({
  ...message,
  content: `cut to save room: ${message.content.length} characters that you have read; look again if you need them`,
});

const isWorthCutting = ({ role, content }: ChatMessage): boolean =>
  role === 'tool' && content.length > WORTH_CUTTING;

type Fits = (messages: readonly ChatMessage[]) => boolean;

/** Large results before `end`, oldest first, until the turn fits. */
const cutResultsBefore = (
  view: TurnView,
  end: number,
  fits: Fits,
): TurnView => {
  let { messages } = view;
  for (const [index, message] of view.messages.slice(0, end).entries()) {
    if (fits(showTurn({ ...view, messages }))) break;
    if (!isWorthCutting(message)) continue;
    messages = messages.with(index, cutResult(message));
  }
  return harden({ ...view, messages });
};

const newestStep = (messages: readonly ChatMessage[]): number =>
  stepStarts(messages).at(-1) ?? messages.length;

/** Those of the newest answer stay: the model has not read them yet. */
export const cutOlderResults = (view: TurnView, fits: Fits): TurnView =>
  cutResultsBefore(view, newestStep(view.messages), fits);
harden(cutOlderResults);

/** The limit for each, so that together they have at most `tokens`. */
const limitFor = (sizes: readonly number[], tokens: number): number => {
  let left = Math.max(0, tokens);
  const rising = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of rising.entries()) {
    const share = left / (rising.length - index);
    if (size > share) return Math.floor(share);
    left -= size;
  }
  return Infinity;
};

/** Of the newest answer, as they are shown. */
export const newestResultsSize = (
  { messages }: TurnView,
  { ofText }: TokenEstimate,
): number =>
  messages
    .slice(newestStep(messages))
    .reduce(
      (sum, { role, content }) => sum + (role === 'tool' ? ofText(content) : 0),
      0,
    );
harden(newestResultsSize);

/** The results of the newest answer, cut to `tokens` together: the largest first. */
export const boundNewestResults = (
  view: TurnView,
  tokens: number,
  { ofText }: TokenEstimate,
): TurnView => {
  const start = newestStep(view.messages);
  const results = view.messages
    .slice(start)
    .filter(({ role }) => role === 'tool');
  const limit = limitFor(
    results.map(({ content }) => ofText(content)),
    tokens,
  );
  const messages = view.messages.map((message, index) => {
    if (index < start || message.role !== 'tool') return message;
    const content = cutText(message.content, limit, ofText);
    // A message that stays is the same object: it is weighed once.
    return content.length < message.content.length
      ? { ...message, content }
      : message;
  });
  return harden({ ...view, messages });
};
harden(boundNewestResults);

/** Whole steps, oldest first; the newest one stays. */
export const leaveOutSteps = (view: TurnView, fits: Fits): TurnView => {
  const steps = stepStarts(view.messages).length;
  let { stepsLeftOut } = view;
  while (
    stepsLeftOut < steps - 1 &&
    !fits(showTurn({ ...view, stepsLeftOut }))
  ) {
    stepsLeftOut += 1;
  }
  return harden({ ...view, stepsLeftOut });
};
harden(leaveOutSteps);

/** What the turn answers, cut to `tokens`: the last resort. */
export const boundOpening = (
  view: TurnView,
  tokens: number,
  { ofText }: TokenEstimate,
): TurnView => {
  const [opening] = view.messages;
  if (opening?.role !== 'user') return view;
  const content = cutText(opening.content, tokens, ofText);
  if (content.length >= opening.content.length) return view;
  const messages = view.messages.with(0, { ...opening, content });
  return harden({ ...view, messages });
};
harden(boundOpening);

/** A turn of the past: all of its large results may go, then its oldest steps. */
export const shrinkTurn = (
  messages: readonly ChatMessage[],
  fits: Fits,
): readonly ChatMessage[] => {
  if (fits(messages)) return messages;
  const whole = extendView(emptyView, messages);
  const cut = cutResultsBefore(whole, messages.length, fits);
  return showTurn(leaveOutSteps(cut, fits));
};
harden(shrinkTurn);
