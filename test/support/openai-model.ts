/** A model of the OpenAI wire. */
import { makeOpenAiCompatibleModel } from '../../providers/openai-compatible.ts';
import { makeSecret } from '../../src/model/secret.ts';
import type { ChatWire } from './chat-model.ts';
import { openAiForm } from './openai-replies.ts';
import { startOpenAiServer } from './openai-server.ts';
import type { Reply, RequestBody } from './openai-server.ts';

export const openAiWire: ChatWire<RequestBody, Reply> = {
  provider: 'openai',
  model: 'qwen3',
  modelAt: (
    baseURL,
    {
      token,
      fetch = globalThis.fetch,
      maxTokens = 512,
      timeoutMs = 30_000,
    } = {},
  ) =>
    makeOpenAiCompatibleModel({
      baseURL,
      model: 'qwen3',
      ...(token === undefined ? {} : { authToken: makeSecret(token) }),
      maxTokens,
      timeoutMs,
      fetch,
    }),
  start: startOpenAiServer,
  form: openAiForm,
};
