/** An Ollama, on its own wire (`/api/chat`), through its SDK. */
import { Ollama } from 'ollama';

import type { ChatAnswer, ChatModel, ChatRequest } from '../src/model/chat.ts';
import { ModelError } from '../src/model/model-error.ts';
import type { Secret } from '../src/model/secret.ts';
import { makeAskOnceModel } from './ask-once.ts';
import { withoutUserInfo } from './http-errors.ts';
import { makeOllamaAnswerBuilder } from './ollama-answer.ts';
import { makeOllamaNetworkError } from './ollama-errors.ts';
import type { OllamaAsked } from './ollama-errors.ts';
import { makeOllamaFetch } from './ollama-fetch.ts';
import { makeWireRequest } from './ollama-wire.ts';
import { idsIn } from './wire-calls.ts';

export type OllamaPowers = {
  /** The server's address: `http://localhost:11434`. */
  readonly host: string;
  readonly model: string;
  readonly authToken?: Secret;
  /** The longest answer, in tokens; the server's own limit when it is not set. */
  readonly maxTokens?: number;
  /** The context that the model is loaded with, in tokens. */
  readonly contextTokens: number;
  readonly fetch: typeof globalThis.fetch;
};

const ask = async (
  powers: OllamaPowers,
  asked: OllamaAsked,
  request: ChatRequest,
  abort: AbortController,
): Promise<ChatAnswer> => {
  const { authToken } = powers;
  const { signal } = abort;
  // A client a call: what the SDK keeps of a request ends with it.
  const client = new Ollama({
    host: powers.host.replace(/\/+$/, ''),
    fetch: makeOllamaFetch({ fetch: powers.fetch, asked, authToken, signal }),
  });
  const builder = makeOllamaAnswerBuilder(idsIn(request.messages), asked);
  for await (const line of await client.chat(makeWireRequest(powers, request)))
    builder.add(line);
  return builder.build();
};

/** `chat` asks once; retries and time limits are the business of others. */
export const makeOllamaModel = (powers: OllamaPowers): ChatModel => {
  const { host, model, contextTokens } = powers;
  const asked: OllamaAsked = {
    host: withoutUserInfo(host),
    model,
    contextTokens,
  };

  return makeAskOnceModel({
    provider: 'ollama',
    model,
    ask: (request, abort) => ask(powers, asked, request, abort),
    toModelError: (error) =>
      error instanceof ModelError
        ? error
        : makeOllamaNetworkError(error, asked),
  });
};
harden(makeOllamaModel);
