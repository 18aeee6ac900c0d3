import type { Secret } from './secret.ts';

type CommonConfig = {
  /** The base URL: `http://localhost:11434`, `http://localhost:8080/v1`. */
  readonly host: string;
  /** As the provider names it: `qwen3`. */
  readonly model: string;
  /** What the model can read at once, in tokens. */
  readonly contextTokens: number;
  /** How many messages it is shown, but for the prompt; all when it is not set. */
  readonly maxMessages?: number;
  /** The longest call, in milliseconds. */
  readonly timeoutMs: number;
};

/** A model behind a URL that wants to be told how long an answer may be. */
export type HostedModelConfig = CommonConfig & {
  readonly provider: 'openai' | 'anthropic';
  readonly authToken?: Secret;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
};

export type OllamaModelConfig = CommonConfig & {
  readonly provider: 'ollama';
  readonly authToken?: Secret;
  /** The longest answer, in tokens; the server's limit when it is not set. */
  readonly maxTokens?: number;
};

/** The rule-based stand-in: no network, no token. */
export type PracticeModelConfig = CommonConfig & {
  readonly provider: 'practice';
};

export type ModelConfig =
  HostedModelConfig | OllamaModelConfig | PracticeModelConfig;

export type ProviderName = ModelConfig['provider'];

export const PROVIDERS: readonly ProviderName[] = [
  'openai',
  'anthropic',
  'ollama',
  'practice',
];
harden(PROVIDERS);

const isProviderName = (text: string): text is ProviderName =>
  (PROVIDERS as readonly string[]).includes(text);

const parseHost = (host: string): URL => {
  // `localhost:11434` parses as a URL whose scheme is `localhost:`.
  const url = URL.canParse(host) ? new URL(host) : undefined;
  // The value stays out of the error: it holds a secret.
  if (url && (url.username !== '' || url.password !== '')) {
    throw Error(
      'LAL_HOST has a user name or a password in it; take it out and set LAL_AUTH_TOKEN',
    );
  }
  if (url && ['http:', 'https:', 'practice:'].includes(url.protocol))
    return url;
  throw Error(
    `LAL_HOST ${JSON.stringify(host)} is not a URL of a model; write it in full, ` +
      `as http://localhost:11434, http://localhost:8080/v1 or practice:`,
  );
};

const parseOverride = (override: string, host: string): ProviderName => {
  if (!isProviderName(override)) {
    throw Error(
      `LAL_PROVIDER ${JSON.stringify(override)} is no model provider; there are ${PROVIDERS.join(', ')}`,
    );
  }
  if (override !== 'practice' && parseHost(host).protocol === 'practice:') {
    throw Error(
      `LAL_PROVIDER is ${override} and LAL_HOST is "practice:"; set LAL_HOST to the URL of the model`,
    );
  }
  return override;
};

/**
 * Which provider speaks to `host`: by the URL's host name and path (Lal's
 * table), or as `override` says. Throws when either cannot be understood.
 */
export const selectProvider = (
  host: string,
  override?: string,
): ProviderName => {
  if (override !== undefined && override !== '')
    return parseOverride(override, host);
  const url = parseHost(host);
  if (url.protocol === 'practice:') return 'practice';
  const name = url.hostname.replace(/\.$/, '');
  if (name === 'anthropic.com' || name.endsWith('.anthropic.com'))
    return 'anthropic';
  if (url.pathname.includes('/v1')) return 'openai';
  return 'ollama';
};
harden(selectProvider);
