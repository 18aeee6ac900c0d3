/** A model of Ollama's own wire. */
import { makeOllamaModel } from '../../providers/ollama.ts';
import { makeSecret } from '../../src/model/secret.ts';
import type { ChatWire } from './chat-model.ts';
import { ollamaForm } from './ollama-replies.ts';
import { startOllamaServer } from './ollama-server.ts';
import type { OllamaReply, OllamaRequestBody } from './ollama-server.ts';

export const ollamaWire: ChatWire<OllamaRequestBody, OllamaReply> = {
  provider: 'ollama',
  model: 'qwen3',
  modelAt: (host, { token, fetch = globalThis.fetch, maxTokens } = {}) =>
    makeOllamaModel({
      host,
      model: 'qwen3',
      ...(token === undefined ? {} : { authToken: makeSecret(token) }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      contextTokens: 8192,
      fetch,
    }),
  start: startOllamaServer,
  form: ollamaForm,
};
