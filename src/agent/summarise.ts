import type {
  ChatAnswer,
  ChatMessage,
  ChatModel,
  ChatRequest,
  Usage,
} from '../model/chat.ts';
import { ModelError } from '../model/model-error.ts';
import { visibleText } from '../model/text-tool-calls.ts';
import { addUsage, noUsage, usageOf } from '../model/usage.ts';
import type { Summary } from '../transcript/assembly.ts';
import { cutText } from '../transcript/cut-text.ts';
import type { TranscriptNode } from '../transcript/node.ts';
import type { SummaryStore } from '../transcript/summaries.ts';
import type { ContextWindow } from './context-window.ts';
import { type Bounds, summaryMessages, turnText } from './summary-prompt.ts';

export type SummarisePowers = {
  readonly model: ChatModel;
  readonly window: ContextWindow;
  readonly summaries: Pick<SummaryStore, 'put'>;
  readonly signal: AbortSignal;
  /** Each call, as soon as it was answered. */
  readonly onSpent: (usage: Usage) => void;
  /** Contract: never throws. */
  readonly onFailure: (cause: unknown) => void;
};

export type SummariseLimits = {
  /** Of the summary, by estimate. */
  readonly summary: number;
  /** That all calls together may cost. */
  readonly spending: number;
};

/** What could be summed up, from the beginning on, and what is missing. */
export type Summarised = {
  readonly summary: Summary | undefined;
  readonly missing: readonly TranscriptNode[];
};

const WORDS_A_TOKEN = 0.6;
const FEWEST_WORDS = 40;
/** How often it is tried again after a request was refused as too long. */
const MOST_REFUSED = 2;
const SMALLEST_TEXT = 24;

type Chunk = {
  readonly texts: readonly string[];
  readonly last: TranscriptNode;
  /** How many nodes it holds. */
  readonly count: number;
};

/** One turn in at most `tokens`, its details shortened before what was said. */
const textWithin = (
  node: TranscriptNode,
  tokens: number,
  ofText: (text: string) => number,
): string => {
  let bounds: Bounds = {
    text: Math.floor(tokens / 2),
    detail: Math.min(300, Math.floor(tokens / 8)),
  };
  let text = turnText(node, bounds, ofText);
  while (ofText(text) > tokens && bounds.text >= SMALLEST_TEXT) {
    bounds = {
      text: Math.floor(bounds.text / 2),
      detail: Math.floor(bounds.detail / 4),
    };
    text = turnText(node, bounds, ofText);
  }
  return cutText(text, tokens, ofText);
};

/** As many turns, oldest first, as go into one request: at least one. */
const takeChunk = (
  nodes: readonly TranscriptNode[],
  tokens: number,
  ofText: (text: string) => number,
): Chunk | undefined => {
  const texts: string[] = [];
  let left = tokens;
  for (const node of nodes) {
    const text = textWithin(node, tokens, ofText);
    left -= ofText(text);
    if (left < 0 && texts.length > 0) break;
    texts.push(text);
  }
  const last = nodes[texts.length - 1];
  return last && { texts, last, count: texts.length };
};

const isOverflow = (cause: unknown): boolean =>
  cause instanceof ModelError && cause.kind === 'overflow';

/**
 * Ask the model for a summary of `nodes`, in as many requests as it takes; each
 * is kept as soon as it is there, so that none is asked for twice.
 *
 * Contract: rejects only when `signal` is aborted. What fails is reported, and
 * what it should have covered is `missing`.
 */
export const summarise = async (
  powers: SummarisePowers,
  limits: SummariseLimits,
  before: Summary | undefined,
  nodes: readonly TranscriptNode[],
): Promise<Summarised> => {
  const { model, window, summaries, signal } = powers;
  const { estimate } = window;
  const words = Math.max(
    FEWEST_WORDS,
    Math.floor(limits.summary * WORDS_A_TOKEN),
  );
  let summary = before;
  let missing = nodes;
  let spent = noUsage;
  let refused = 0;

  const chat = async (request: ChatRequest): Promise<ChatAnswer> => {
    try {
      const answer = await model.chat(request);
      window.learn(request, answer.usage);
      return answer;
    } catch (cause) {
      if (isOverflow(cause)) window.refused(estimate.of(request));
      throw cause;
    }
  };

  const ask = async (messages: readonly ChatMessage[]): Promise<string> => {
    // Not hardened: an AbortSignal does not survive it.
    const request = Object.freeze({ messages, tools: harden([]), signal });
    const answer = await chat(request);
    const usage = usageOf(request, answer);
    spent = addUsage(spent, usage);
    powers.onSpent(usage);
    const text = visibleText(answer.message.content);
    if (text === '' || answer.stop === 'refusal') {
      throw Error(
        `The model gave no summary of ${nodes.length} turns (${answer.stop})`,
      );
    }
    return cutText(text, limits.summary, estimate.ofText);
  };

  const keep = async (made: Summary): Promise<Summary> => {
    try {
      return await summaries.put(made);
    } catch (cause) {
      // For this turn it is as good as a stored one.
      powers.onFailure(cause);
      return made;
    }
  };

  const sumUpSome = async (): Promise<void> => {
    const fixed = estimate.of({
      messages: summaryMessages(words, summary, []),
    });
    const room = window.budget() - fixed;
    const chunk = takeChunk(missing, room, estimate.ofText);
    if (chunk === undefined) return;
    const text = await ask(summaryMessages(words, summary, chunk.texts));
    const { messageId: nodeId, turns } = chunk.last;
    summary = await keep(harden({ nodeId, text, turns }));
    missing = missing.slice(chunk.count);
  };

  while (missing.length > 0 && spent.input + spent.output < limits.spending) {
    try {
      await sumUpSome();
    } catch (cause) {
      if (signal.aborted) throw cause;
      powers.onFailure(cause);
      if (!isOverflow(cause) || refused === MOST_REFUSED) break;
      refused += 1;
    }
  }
  return { summary, missing };
};
harden(summarise);
