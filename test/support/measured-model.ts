import { encode } from 'gpt-tokenizer/encoding/o200k_base';

import type {
  ChatAnswer,
  ChatMessage,
  ChatModel,
  ChatRequest,
} from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';

/** What the model does when it is asked for an answer, or for a summary. */
export type Respond = (
  request: ChatRequest,
) => ChatAnswer['message'] | Promise<ChatAnswer['message']>;

export type MeasuredModel = {
  readonly model: ChatModel;
  /** Those for an answer, as against those for a summary. */
  readonly requests: readonly ChatRequest[];
  readonly summaryRequests: readonly ChatRequest[];
  /** Requests that did not fit, of either kind. */
  readonly overflows: () => number;
  /** The largest request that was answered. */
  readonly largest: () => number;
};

const FRAMING = 6;

/** Texts repeat from request to request; counting them does not. */
const counted = new Map<string, number>();
const tokensOf = (text: string): number => {
  const tokens =
    counted.get(text) ?? encode(text, { disallowedSpecial: new Set() }).length;
  counted.set(text, tokens);
  return tokens;
};

const tokensOfMessage = (message: ChatMessage): number => {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return calls.reduce(
    (sum, { name, argumentsText }) =>
      sum + FRAMING + tokensOf(name) + tokensOf(argumentsText),
    FRAMING + tokensOf(message.content),
  );
};

export const says = (content: string): ChatAnswer['message'] => ({
  role: 'assistant',
  content,
  toolCalls: [],
});

export const isSummaryRequest = ({ messages }: ChatRequest): boolean =>
  messages[0]?.content.startsWith('You sum up') === true;

/**
 * Counts every request with a real tokenizer, and refuses what does not fit
 * its context together with the longest answer, as strict servers do.
 */
export const makeMeasuredModel = ({
  contextTokens,
  maxTokens,
  respond,
  sumUp,
  size = 1,
}: {
  readonly contextTokens: number;
  readonly maxTokens: number;
  readonly respond: Respond;
  readonly sumUp: Respond;
  /** Tokens for one of the tokenizer: another model's vocabulary. */
  readonly size?: number;
}): MeasuredModel => {
  const requests: ChatRequest[] = [];
  const summaryRequests: ChatRequest[] = [];
  let overflows = 0;
  let largest = 0;

  const chat = async (request: ChatRequest): Promise<ChatAnswer> => {
    const { messages, tools } = request;
    const bare =
      messages.reduce((sum, message) => sum + tokensOfMessage(message), 0) +
      (tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools)));
    const input = Math.ceil(bare * size);
    if (input + maxTokens > contextTokens) {
      overflows += 1;
      throw new ModelError(
        `${input} tokens and ${maxTokens} for the answer are more than ${contextTokens}`,
        { kind: 'overflow', status: 400, remedy: 'Use a larger model.' },
      );
    }
    largest = Math.max(largest, input);
    const isSummary = isSummaryRequest(request);
    (isSummary ? summaryRequests : requests).push(request);
    const message = await (isSummary ? sumUp : respond)(request);
    return harden({
      message,
      stop: message.toolCalls.length > 0 ? 'tools' : 'end',
      usage: { input, cached: 0, output: tokensOfMessage(message) },
    });
  };

  return {
    model: harden({ provider: 'measured', model: 'measured', chat }),
    requests,
    summaryRequests,
    overflows: () => overflows,
    largest: () => largest,
  };
};
