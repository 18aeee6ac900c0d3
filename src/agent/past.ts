import type { ChatMessage, ChatModel, Usage } from '../model/chat.ts';
import { assembleConversation, type History } from '../transcript/assembly.ts';
import type { Walk } from '../transcript/chain.ts';
import {
  type Room,
  showHistory,
  splitHistory,
} from '../transcript/compaction.ts';
import type { TranscriptNode } from '../transcript/node.ts';
import type { SummaryStore } from '../transcript/summaries.ts';
import type { ContextWindow } from './context-window.ts';
import { summarise, type Summarised } from './summarise.ts';

/** What was done to a conversation so that it fits; no text of it. */
export type ContextEvent =
  | { readonly type: 'summarised'; readonly turns: number }
  | { readonly type: 'turns-left-out'; readonly turns: number }
  | { readonly type: 'summary-failed'; readonly cause: unknown }
  /** A request of so many tokens, by estimate, was refused as too long. */
  | { readonly type: 'overflow'; readonly tokens: number };

export type PastPowers = {
  readonly model: ChatModel;
  readonly window: ContextWindow;
  /** The conversation before this turn, since its nearest summary. */
  readonly walk: Walk;
  readonly summaries: Pick<SummaryStore, 'put'>;
  readonly signal: AbortSignal;
  /** Tokens that the summaries of this turn may cost. */
  readonly summaryTokens: number;
  /** What each call for a summary cost. */
  readonly onSpent: (usage: Usage) => void;
  /** Contract: never throws. */
  readonly onEvent: (event: ContextEvent) => void;
};

/** The conversation before the present turn, as this turn is shown it. */
export type Past = {
  readonly size: (room: Room) => number;
  /** With the turn behind it. */
  readonly before: (
    turn: readonly ChatMessage[],
    room: Room,
  ) => readonly ChatMessage[];
  /**
   * Whole turns are summed up, or left out when that fails.
   *
   * @param turnTokens - what the present turn takes
   * @throws only when `signal` is aborted
   */
  readonly shorten: (turnTokens: number, room: Room) => Promise<void>;
};

export const makePast = (powers: PastPowers): Past => {
  const { onEvent } = powers;
  const { estimate } = powers.window;
  let history: History = harden({ ...powers.walk, leftOut: 0 });
  let failed = false;
  let spent = 0;

  const before = (
    turn: readonly ChatMessage[],
    room: Room,
  ): readonly ChatMessage[] =>
    assembleConversation(showHistory(history, room, estimate), turn);

  /** All but the newest turns that may stay. */
  const oldTurns = (
    turnTokens: number,
    room: Room,
  ): readonly TranscriptNode[] => {
    const besides = turnTokens + room.summary;
    const tokens = Math.min(room.verbatim, room.afterwards - besides);
    const shown = showHistory(history, room, estimate).nodes;
    const sizeOf = ({ messages }: TranscriptNode) => estimate.of({ messages });
    const { old } = splitHistory(shown, tokens, sizeOf);
    return history.nodes.slice(0, old.length);
  };

  const sumUp = (
    nodes: readonly TranscriptNode[],
    room: Room,
  ): Promise<Summarised> =>
    summarise(
      {
        ...powers,
        onSpent: (usage) => {
          spent += usage.input + usage.output;
          powers.onSpent(usage);
        },
        onFailure: (cause) => onEvent({ type: 'summary-failed', cause }),
      },
      { summary: room.summary, spending: powers.summaryTokens - spent },
      history.summary,
      nodes,
    );

  return harden({
    before,
    size: (room: Room) => estimate.of({ messages: before([], room) }),
    shorten: async (turnTokens: number, room: Room) => {
      const nodes = oldTurns(turnTokens, room);
      if (nodes.length === 0) return;
      // What was left out would be missing in a later summary, untold.
      const { summary, missing } = failed
        ? { summary: history.summary, missing: nodes }
        : await sumUp(nodes, room);
      failed ||= missing.length > 0;
      const summed = nodes.length - missing.length;
      const leftOut = missing.length;
      if (summed > 0) onEvent({ type: 'summarised', turns: summed });
      if (leftOut > 0) onEvent({ type: 'turns-left-out', turns: leftOut });
      history = harden({
        ...(summary === undefined ? {} : { summary }),
        leftOut: history.leftOut + leftOut,
        nodes: history.nodes.slice(nodes.length),
      });
    },
  });
};
harden(makePast);
