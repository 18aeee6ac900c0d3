/** A model of the Anthropic wire and what tests ask it. */
import { onTestFinished } from 'vitest';

import { makeAnthropicModel } from '../../providers/anthropic.ts';
import type {
  ChatMessage,
  ChatModel,
  ChatRequest,
  ToolSchema,
} from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';
import { makeSecret } from '../../src/model/secret.ts';
import { startAnthropicServer } from './anthropic-server.ts';
import type { AnthropicScript, AnthropicServer } from './anthropic-server.ts';

export const TOKEN = 'sk-ant-never-print-me';

export const tool: ToolSchema = {
  type: 'function',
  function: {
    name: 'list',
    description: 'Lists names.',
    parameters: {
      type: 'object',
      properties: { petNamePath: { type: 'array' } },
    },
  },
};

/** A request with these messages, or with a greeting. */
export const ask = (
  messages: readonly ChatMessage[] = [{ role: 'user', content: 'hello' }],
  signal = new AbortController().signal,
): ChatRequest => ({
  messages: [{ role: 'system', content: 'You are Hob.' }, ...messages],
  tools: [tool],
  signal,
});

export const modelAt = (
  baseURL: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  token?: string,
): ChatModel =>
  makeAnthropicModel({
    baseURL,
    model: 'claude-scripted',
    ...(token === undefined ? {} : { authToken: makeSecret(token) }),
    maxTokens: 512,
    timeoutMs: 30_000,
    fetch,
  });

/** A server with this script, until the test ends, and a model that asks it. */
export const serve = async (
  script: AnthropicScript,
): Promise<{ server: AnthropicServer; model: ChatModel }> => {
  const server = await startAnthropicServer(script);
  onTestFinished(server.close);
  return { server, model: modelAt(server.url, globalThis.fetch, TOKEN) };
};

export const rejection = async (
  call: Promise<unknown>,
): Promise<ModelError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError))
    throw Error(`not a ModelError: ${String(error)}`);
  return error;
};
