import {
  type ModelConfig,
  type ProviderName,
  selectProvider,
} from './model/model-config.ts';
import { makeSecret, type Secret } from './model/secret.ts';
import { COUNT, MOST, VARIABLES } from './variables.ts';

/** What an agent is told by its environment, read and checked once. */
export type Config = {
  /** The agent's name, for its prompt and its announcements. */
  readonly name: string;
  readonly model: ModelConfig;
  /** Pet names of senders who are served as the HOST is. */
  readonly open: readonly string[];
  /** Model calls in one turn. */
  readonly maxSteps: number;
  /** Turns at a time. */
  readonly maxConcurrent: number;
  /** Tokens of one turn, input and output. */
  readonly turnTokens: number;
  /** Tokens a UTC day for mail from others than the HOST. */
  readonly guestTokens: number;
  /** Automatic replies in one conversation with anyone but the HOST. */
  readonly maxExchanges: number;
  /** Bytes of conversations that are kept in memory. */
  readonly cacheBytes: number;
  /** Milliseconds for one tool call. */
  readonly toolTimeoutMs: number;
  /** Made anew by each provisioning; a change is announced to the HOST. */
  readonly provision: string | undefined;
};

export type Env = { readonly [name: string]: string };

/** What setup tells the agent beside the `LAL_*`. */
const FROM_SETUP: readonly string[] = ['HOB_NAME', 'HOB_PROVISION'];

const KNOWN: ReadonlySet<string> = new Set([
  ...VARIABLES.map(({ name }) => name),
  ...FROM_SETUP,
]);

/** Unset and empty mean the same. */
const read = (env: Env, name: string): string | undefined =>
  env[name] === '' ? undefined : env[name];

/** The value, or what holds without one; '' where nothing does. */
const readText = (
  env: Env,
  name: string,
  provider: ProviderName = 'openai',
): string => {
  const { fallback = '' } = VARIABLES.find((each) => each.name === name) ?? {};
  return (
    read(env, name) ??
    (typeof fallback === 'string' ? fallback : fallback[provider])
  );
};

const parseCount = (name: string, text: string): number => {
  const count = Number(text);
  if (/^\d+$/u.test(text) && count > 0 && count <= MOST) {
    return count;
  }
  throw Error(`${name} is ${JSON.stringify(text)}; it must be ${COUNT}`);
};

const readCount = (env: Env, name: string, provider?: ProviderName): number =>
  parseCount(name, readText(env, name, provider));

/** `undefined` when it is neither set nor has a default. */
const readOptionalCount = (
  env: Env,
  name: string,
  provider?: ProviderName,
): number | undefined =>
  readText(env, name, provider) === ''
    ? undefined
    : readCount(env, name, provider);

const readNames = (env: Env, name: string): readonly string[] => {
  const names = readText(env, name)
    .split(/[\s,]+/u)
    .filter((each) => each !== '');
  for (const each of names) {
    if (!/^[a-z0-9][a-z0-9-]{0,127}$/u.test(each)) {
      throw Error(
        `${name} holds ${JSON.stringify(each)}, which is not a pet name; write names with commas between them`,
      );
    }
  }
  return names;
};

const assertKnown = (env: Env): void => {
  for (const name of Object.keys(env)) {
    if (!/^(?:LAL|HOB)_/u.test(name) || KNOWN.has(name)) continue;
    throw Error(
      `There is no variable ${name}; there are ${[...KNOWN].join(', ')}`,
    );
  }
};

/** As it is sent: what a server echoes must be known again. */
const readToken = (env: Env): { readonly authToken?: Secret } => {
  const token = read(env, 'LAL_AUTH_TOKEN')?.trim() ?? '';
  if (token === '') return {};
  // The value stays out of the error: it is a secret.
  if (!/^[\x21-\x7e]+$/u.test(token)) {
    throw Error(
      'LAL_AUTH_TOKEN has a character that no key has (a space, a line break, or one beyond ASCII); copy the key again',
    );
  }
  return { authToken: makeSecret(token) };
};

const readModel = (env: Env): ModelConfig => {
  const host = readText(env, 'LAL_HOST');
  const provider = selectProvider(host, read(env, 'LAL_PROVIDER'));
  const maxMessages = readOptionalCount(env, 'LAL_MAX_MESSAGES');
  const common = {
    host,
    model: readText(env, 'LAL_MODEL', provider),
    contextTokens: readCount(env, 'LAL_CONTEXT_TOKENS'),
    ...(maxMessages === undefined ? {} : { maxMessages }),
    timeoutMs: readCount(env, 'LAL_MODEL_TIMEOUT_MS'),
  };
  const token = readToken(env);
  const maxTokens = readOptionalCount(env, 'LAL_MAX_TOKENS', provider);
  if (provider === 'practice') return { ...common, provider };
  if (provider === 'ollama') {
    const limit = maxTokens === undefined ? {} : { maxTokens };
    return { ...common, ...token, ...limit, provider };
  }
  return {
    ...common,
    ...token,
    maxTokens: readCount(env, 'LAL_MAX_TOKENS', provider),
    provider,
  };
};

/**
 * Read an environment.
 *
 * @throws Error that names the variable, its value and what it must be
 */
export const parseConfig = (env: Env): Config => {
  assertKnown(env);
  return harden({
    name: read(env, 'HOB_NAME') ?? 'hob',
    model: readModel(env),
    open: readNames(env, 'LAL_OPEN'),
    maxSteps: readCount(env, 'LAL_MAX_STEPS'),
    maxConcurrent: readCount(env, 'LAL_MAX_CONCURRENT'),
    turnTokens: readCount(env, 'LAL_TURN_TOKENS'),
    guestTokens: readCount(env, 'LAL_GUEST_TOKENS'),
    maxExchanges: readCount(env, 'LAL_MAX_EXCHANGES'),
    cacheBytes: readCount(env, 'LAL_CACHE_BYTES'),
    toolTimeoutMs: readCount(env, 'LAL_TOOL_TIMEOUT_MS'),
    provision: read(env, 'HOB_PROVISION'),
  });
};
harden(parseConfig);
