import type { ChatModel } from '../src/model/chat.ts';
import type { ModelConfig } from '../src/model/model-config.ts';

export type ProviderPowers = { readonly fetch: typeof globalThis.fetch };

/**
 * The model that `config` names. Loads only the SDK of its provider, so that a
 * start is quick. Rejects for a provider that this version does not have.
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
    case 'anthropic':
    case 'ollama': {
      const base = config.host.replace(/\/+$/, '');
      throw Error(
        `The ${config.provider} provider (LAL_HOST ${config.host}) comes with a later version of Hob; ` +
          `until then set LAL_HOST to ${base}/v1, where it speaks the OpenAI wire`,
      );
    }
  }
};
harden(createModel);
