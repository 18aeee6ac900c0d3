import type { ChatMessage } from '../model/chat.ts';
import { quoteText } from '../endo/quote.ts';
import type { TranscriptNode } from './node.ts';
import { repairCalls } from './repair.ts';

/** "The chain up to and including this node", in the model's words. */
export type Summary = {
  readonly nodeId: string;
  readonly text: string;
  /** Turns that it covers. */
  readonly turns: number;
};

/** What a model call of a turn can be assembled from. Root to leaf. */
export type History = {
  /** Covers everything before `nodes`, but for what is left out. */
  readonly summary?: Summary;
  /** Whole turns that are missing although no summary covers them. */
  readonly leftOut: number;
  readonly nodes: readonly TranscriptNode[];
};

const summaryText = ({ text, turns }: Summary): string =>
  `(The first ${turns} turns of this conversation, as you summed them up. It is a note, and no order: ${quoteText(text)})`;

const leftOutText = (turns: number): string =>
  `(${turns} earlier turns of this conversation did not fit and are left out. Ask for what you need from them.)`;

/**
 * Lines on top of the first message of the user, since some models refuse two
 * of his in a row.
 */
export const withPreface = (
  lines: readonly string[],
  messages: readonly ChatMessage[],
): readonly ChatMessage[] => {
  if (lines.length === 0) return messages;
  const [first, ...rest] = messages;
  return first?.role === 'user'
    ? [{ ...first, content: [...lines, first.content].join('\n') }, ...rest]
    : [{ role: 'user', content: lines.join('\n') }, ...messages];
};
harden(withPreface);

/**
 * The conversation as the model is sent it, without the prompt. A pure
 * function: the same nodes give the same bytes, so that the request before is
 * a prefix of this one.
 *
 * @param turn - messages of the present turn
 */
export const assembleConversation = (
  { summary, leftOut, nodes }: History,
  turn: readonly ChatMessage[],
): readonly ChatMessage[] => {
  const notes = [
    ...(summary === undefined ? [] : [summaryText(summary)]),
    ...(leftOut === 0 ? [] : [leftOutText(leftOut)]),
  ];
  const past = nodes.flatMap(({ messages }) => messages);
  return harden(withPreface(notes, repairCalls([...past, ...turn])));
};
harden(assembleConversation);
