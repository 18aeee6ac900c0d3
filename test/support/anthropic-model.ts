/** A model of the Anthropic wire. */
import { makeAnthropicModel } from '../../providers/anthropic.ts';
import { makeSecret } from '../../src/model/secret.ts';
import { anthropicForm } from './anthropic-replies.ts';
import { startAnthropicServer } from './anthropic-server.ts';
import type {
  AnthropicReply,
  AnthropicRequestBody,
} from './anthropic-server.ts';
import type { ChatWire } from './chat-model.ts';

export const anthropicWire: ChatWire<AnthropicRequestBody, AnthropicReply> = {
  provider: 'anthropic',
  model: 'claude-scripted',
  modelAt: (
    baseURL,
    {
      token,
      fetch = globalThis.fetch,
      maxTokens = 512,
      timeoutMs = 30_000,
    } = {},
  ) =>
    makeAnthropicModel({
      baseURL,
      model: 'claude-scripted',
      ...(token === undefined ? {} : { authToken: makeSecret(token) }),
      maxTokens,
      timeoutMs,
      fetch,
    }),
  start: startAnthropicServer,
  form: anthropicForm,
};
