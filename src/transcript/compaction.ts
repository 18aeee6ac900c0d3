import type { ChatMessage } from '../model/chat.ts';
import type { History } from './assembly.ts';
import { cutText } from './cut-text.ts';
import type { TokenEstimate } from './estimate.ts';
import type { TranscriptNode } from './node.ts';
import { repairCalls } from './repair.ts';
import { shrinkTurn } from './shrink.ts';

/** How the tokens that prompt and tools leave are shared out, in tokens. */
export type Room = {
  /** All of it. */
  readonly conversation: number;
  /** What is made to fit is made to fit this, so that it is seldom done. */
  readonly afterwards: number;
  /** Of the past, as it was; what is older is summed up. */
  readonly verbatim: number;
  readonly summary: number;
  /** Of the present turn, before what is older gives way to it. */
  readonly turn: number;
  /** For the results of the newest answer. */
  readonly newestResults: number;
  /** For what the turn answers, when nothing else can give way. */
  readonly opening: number;
};

const LONGEST_SUMMARY = 2000;

export const shareRoom = (conversation: number): Room => {
  const part = (share: number): number => Math.floor(conversation * share);
  return harden({
    conversation,
    afterwards: part(0.8),
    verbatim: part(1 / 3),
    summary: Math.min(part(1 / 6), LONGEST_SUMMARY),
    turn: part(1 / 2),
    newestResults: part(1 / 2),
    opening: part(0.6),
  });
};
harden(shareRoom);

/** Oldest first; `kept` are the newest whole turns of at most `tokens`. */
export const splitHistory = (
  nodes: readonly TranscriptNode[],
  tokens: number,
  sizeOf: (node: TranscriptNode) => number,
): {
  readonly old: readonly TranscriptNode[];
  readonly kept: readonly TranscriptNode[];
} => {
  let left = tokens;
  let from = nodes.length;
  for (const [index, node] of [...nodes.entries()].reverse()) {
    left -= sizeOf(node);
    if (left < 0) break;
    from = index;
  }
  return { old: nodes.slice(0, from), kept: nodes.slice(from) };
};
harden(splitHistory);

/** A turn that alone is more than the past may be is shown without its results. */
const showNode = (
  node: TranscriptNode,
  tokens: number,
  estimate: TokenEstimate,
): TranscriptNode => {
  const fits = (messages: readonly ChatMessage[]): boolean =>
    estimate.of({ messages }) <= tokens;
  if (fits(node.messages)) return node;
  return { ...node, messages: shrinkTurn(repairCalls(node.messages), fits) };
};

/** The past, each part bounded by its share: by itself, whatever is beside it. */
export const showHistory = (
  { summary, leftOut, nodes }: History,
  room: Room,
  estimate: TokenEstimate,
): History => ({
  ...(summary === undefined
    ? {}
    : {
        summary: {
          ...summary,
          // It was made to fit: another estimate is no reason to show it otherwise.
          text: cutText(summary.text, 2 * room.summary, estimate.ofText),
        },
      }),
  leftOut,
  nodes: nodes.map((node) => showNode(node, room.verbatim, estimate)),
});
harden(showHistory);
