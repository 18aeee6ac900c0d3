import type { ChatAnswer, ChatModel, ChatRequest } from './chat.ts';
import { cancelledError } from './cancelled.ts';
import { ModelError } from './model-error.ts';

/** Calls back once after `ms` milliseconds, unless the result was called before. */
export type SetTimer = (callback: () => void, ms: number) => () => void;

export type TimeoutPowers = {
  readonly timeoutMs: number;
  readonly setTimer: SetTimer;
};

const timeoutError = (model: ChatModel, timeoutMs: number): ModelError =>
  new ModelError(
    `The model ${model.model} (${model.provider}) gave no answer within ${timeoutMs} ms`,
    {
      kind: 'timeout',
      remedy:
        'Try again, or allow more time with LAL_MODEL_TIMEOUT_MS (milliseconds for one call).',
    },
  );

const chatWithin = (
  model: ChatModel,
  request: ChatRequest,
  { timeoutMs, setTimer }: TimeoutPowers,
): Promise<ChatAnswer> =>
  new Promise((resolve, reject) => {
    if (request.signal.aborted) {
      reject(cancelledError());
      return;
    }
    const inner = new AbortController();
    const onAbort = () => end(cancelledError());
    const cancelTimer = setTimer(
      () => end(timeoutError(model, timeoutMs)),
      timeoutMs,
    );
    const release = () => {
      cancelTimer();
      request.signal.removeEventListener('abort', onAbort);
    };
    const end = (error: ModelError) => {
      release();
      reject(error);
      inner.abort();
    };
    request.signal.addEventListener('abort', onAbort, { once: true });
    // Not hardened: an AbortSignal does not survive it.
    model
      .chat(Object.freeze({ ...request, signal: inner.signal }))
      .finally(release)
      .then(resolve, reject);
  });

/**
 * `model`, where a call that takes longer than `timeoutMs` is aborted and
 * rejects. It rejects at once on an abort, also when the model does not heed it.
 */
export const withTimeout = (
  model: ChatModel,
  powers: TimeoutPowers,
): ChatModel =>
  harden({
    provider: model.provider,
    model: model.model,
    chat: (request: ChatRequest) => chatWithin(model, request, powers),
  });
harden(withTimeout);

/** The `wait` of `withRetry`, made of a timer. */
export const makeWait =
  (setTimer: SetTimer) =>
  (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const finish = () => {
        cancelTimer();
        signal.removeEventListener('abort', finish);
        resolve();
      };
      const cancelTimer = setTimer(finish, ms);
      signal.addEventListener('abort', finish, { once: true });
    });
harden(makeWait);
