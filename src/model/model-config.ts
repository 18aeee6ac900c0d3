import type { Secret } from './secret.ts';

/** A model behind a URL. */
export type HostedModelConfig = {
  readonly provider: 'openai' | 'anthropic' | 'ollama';
  /** The base URL: `http://localhost:8080/v1`. */
  readonly host: string;
  /** As the provider names it: `qwen3`. */
  readonly model: string;
  readonly authToken?: Secret;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** The longest call, in milliseconds. */
  readonly timeoutMs: number;
};

/** The rule-based stand-in: no network, no token. */
export type PracticeModelConfig = {
  readonly provider: 'practice';
  readonly host: string;
  readonly model: string;
  readonly maxTokens: number;
  readonly timeoutMs: number;
};

export type ModelConfig = HostedModelConfig | PracticeModelConfig;

export type ProviderName = ModelConfig['provider'];

const PROVIDERS: readonly ProviderName[] = [
  'openai',
  'anthropic',
  'ollama',
  'practice',
];

const isProviderName = (text: string): text is ProviderName =>
  (PROVIDERS as readonly string[]).includes(text);

const parseHost = (host: string): URL => {
  // `localhost:11434` parses as a URL whose scheme is `localhost:`.
  const url = URL.canParse(host) ? new URL(host) : undefined;
  if (url && ['http:', 'https:', 'practice:'].includes(url.protocol))
    return url;
  throw Error(
    `LAL_HOST ${JSON.stringify(host)} is not a URL of a model; write it in full, ` +
      `as http://localhost:11434/v1, http://localhost:8080/v1 or practice:`,
  );
};

/**
 * Which provider speaks to `host`: by the URL's host name and path (Lal's
 * table), or as `override` says. Throws when either cannot be understood.
 */
export const selectProvider = (
  host: string,
  override?: string,
): ProviderName => {
  if (override !== undefined && override !== '') {
    if (isProviderName(override)) return override;
    throw Error(
      `LAL_PROVIDER ${JSON.stringify(override)} is no model provider; there are ${PROVIDERS.join(', ')}`,
    );
  }
  const url = parseHost(host);
  if (url.protocol === 'practice:') return 'practice';
  const name = url.hostname.replace(/\.$/, '');
  if (name === 'anthropic.com' || name.endsWith('.anthropic.com'))
    return 'anthropic';
  if (url.pathname.includes('/v1')) return 'openai';
  return 'ollama';
};
harden(selectProvider);
