import type { ChatAnswer, ChatModel, ChatRequest } from './chat.ts';
import { ModelError } from './model-error.ts';
import { cancelledError } from './cancelled.ts';

export type RetryEvent = {
  /** The attempt that failed, counted from 1. */
  readonly attempt: number;
  readonly error: ModelError;
  readonly waitMs: number;
};

export type RetryPowers = {
  /** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  /** At least 0, less than 1. */
  readonly random: () => number;
  /** How often the model is called at most, the first call included. */
  readonly maxAttempts: number;
  readonly onRetry?: (event: RetryEvent) => void;
};

const FIRST_WAIT_MS = 500;
const LONGEST_BACKOFF_MS = 20_000;
const LONGEST_RETRY_AFTER_MS = 60_000;

/** Doubles from attempt to attempt, and is spread over its upper half. */
const backoffMs = (attempt: number, random: number): number => {
  const full = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_BACKOFF_MS);
  return Math.round(full / 2 + (random * full) / 2);
};

const waitMsFor = (
  error: ModelError,
  attempt: number,
  random: number,
): number => {
  const backoff = backoffMs(attempt, random);
  if (error.retryAfterMs === undefined) return backoff;
  return Math.max(
    backoff,
    Math.min(error.retryAfterMs, LONGEST_RETRY_AFTER_MS),
  );
};

/** `model`, with transient errors tried again. Stops at once when aborted. */
export const withRetry = (model: ChatModel, powers: RetryPowers): ChatModel => {
  const attemptChat = async (
    request: ChatRequest,
    attempt: number,
  ): Promise<ChatAnswer> => {
    const isCancelled = () => request.signal.aborted;
    if (isCancelled()) throw cancelledError();
    try {
      return await model.chat(request);
    } catch (error) {
      const again =
        error instanceof ModelError &&
        error.transient &&
        attempt < powers.maxAttempts;
      if (isCancelled()) throw cancelledError();
      if (!again) throw error;
      const waitMs = waitMsFor(error, attempt, powers.random());
      powers.onRetry?.(harden({ attempt, error, waitMs }));
      await powers.wait(waitMs, request.signal);
    }
    return attemptChat(request, attempt + 1);
  };
  return harden({
    provider: model.provider,
    model: model.model,
    chat: (request: ChatRequest) => attemptChat(request, 1),
  });
};
harden(withRetry);
