import type { ChatRequest, Usage } from '../model/chat.ts';
import {
  makeTokenEstimate,
  type TokenEstimate,
} from '../transcript/estimate.ts';

/** What one model can read at once, as far as it is known: one an agent. */
export type ContextWindow = {
  /** Tokens that a request may have, by `estimate`. */
  readonly budget: () => number;
  readonly estimate: TokenEstimate;
  /** A request was answered. */
  readonly learn: (request: ChatRequest, usage: Usage) => void;
  /** A request of so many tokens, by `estimate`, was refused as too long. */
  readonly refused: (tokens: number) => void;
};

/** Estimates err, and a request that is too long costs a call. */
const CAUTION = 0.95;

/**
 * @param contextTokens - what the model can read and write at once
 *   (`LAL_CONTEXT_TOKENS`)
 * @param maxTokens - the longest answer (`LAL_MAX_TOKENS`); a quarter of the
 *   context when it is not set, and never more than half
 */
export const makeContextWindow = ({
  contextTokens,
  maxTokens = Math.ceil(contextTokens / 4),
}: {
  readonly contextTokens: number;
  readonly maxTokens?: number | undefined;
}): ContextWindow => {
  const estimate = makeTokenEstimate();
  const answer = Math.min(maxTokens, Math.floor(contextTokens / 2));
  let budget = Math.floor((contextTokens - answer) * CAUTION);

  return harden({
    budget: () => budget,
    estimate,
    learn: (request: ChatRequest, { input, output }: Usage) => {
      // An answer that was cut off and gone on with counts several requests.
      const isOne = output < answer && input + output <= contextTokens;
      if (input > 0 && isOne) estimate.learn(request, input);
    },
    refused: (tokens: number) => {
      budget = Math.min(budget, Math.floor(tokens / 2));
    },
  });
};
harden(makeContextWindow);
