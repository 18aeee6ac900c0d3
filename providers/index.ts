import type { ChatModel } from '../src/model/chat.ts';
import type { ModelConfig } from '../src/model/model-config.ts';

export type ProviderPowers = { readonly fetch: typeof globalThis.fetch };

/**
 * The model that `config` names. Loads only the SDK of its provider, so that a
 * start is quick.
 */
export const createModel = async (
  config: ModelConfig,
  { fetch }: ProviderPowers,
): Promise<ChatModel> => {
  switch (config.provider) {
    case 'practice': {
      const { makePracticeModel } = await import('./practice.ts');
      return makePracticeModel();
    }
    case 'openai': {
      const { makeOpenAiCompatibleModel } =
        await import('./openai-compatible.ts');
      const { host, model, authToken, maxTokens, timeoutMs } = config;
      return makeOpenAiCompatibleModel({
        baseURL: host,
        model,
        ...(authToken ? { authToken } : {}),
        maxTokens,
        timeoutMs,
        fetch,
      });
    }
    case 'anthropic': {
      const { makeAnthropicModel } = await import('./anthropic.ts');
      const { host, model, authToken, maxTokens, timeoutMs } = config;
      return makeAnthropicModel({
        baseURL: host,
        model,
        ...(authToken ? { authToken } : {}),
        maxTokens,
        timeoutMs,
        fetch,
      });
    }
    case 'ollama': {
      const { makeOllamaModel } = await import('./ollama.ts');
      const { host, model, authToken, maxTokens, contextTokens } = config;
      return makeOllamaModel({
        host,
        model,
        ...(authToken ? { authToken } : {}),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        contextTokens,
        fetch,
      });
    }
  }
};
harden(createModel);
