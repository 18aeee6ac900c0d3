/** The model that asks a server once a call, and ends when it is cancelled. */
import { cancelledError } from '../src/model/cancelled.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../src/model/chat.ts';
import type { ModelError } from '../src/model/model-error.ts';

export type AskOncePowers = {
  readonly provider: string;
  readonly model: string;
  /** One request; `abort` ends it, and what is left of its answer. */
  readonly ask: (
    request: ChatRequest,
    abort: AbortController,
  ) => Promise<ChatAnswer>;
  /** What `ask` rejected with, without secrets. Never throws. */
  readonly toModelError: (error: unknown) => ModelError;
};

/** Retries and the limit for the whole of a call are the business of others. */
export const makeAskOnceModel = ({
  provider,
  model,
  ask,
  toModelError,
}: AskOncePowers): ChatModel => {
  const chat = async (request: ChatRequest): Promise<ChatAnswer> => {
    const { signal } = request;
    const isCancelled = () => signal.aborted;
    if (isCancelled()) throw cancelledError();
    // SDKs leave their listeners on the signal they are given: each its own.
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answer = await ask(request, abort);
      if (isCancelled()) throw cancelledError();
      return answer;
    } catch (error) {
      if (isCancelled()) throw cancelledError();
      throw toModelError(error);
    } finally {
      signal.removeEventListener('abort', stop);
      // What is left of a stream is not waited for.
      abort.abort();
    }
  };
  return harden({ provider, model, chat });
};
harden(makeAskOnceModel);
