import { type ModelConfig, selectProvider } from './model/model-config.ts';
import { makeSecret } from './model/secret.ts';

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
  /** Milliseconds for one tool call. */
  readonly toolTimeoutMs: number;
  /** Made anew by each provisioning; a change is announced to the HOST. */
  readonly provision: string | undefined;
};

export type Env = { readonly [name: string]: string };

/** One variable: what a person may set, and what holds when it is not set. */
export type Variable = {
  readonly name: string;
  readonly meaning: string;
  readonly fallback: string;
};

const variable = (
  name: string,
  fallback: string,
  meaning: string,
): Variable => ({ name, fallback, meaning });

/** Every variable that an agent reads. An unknown `LAL_*` is an error. */
export const VARIABLES: readonly Variable[] = [
  variable('LAL_HOST', 'practice:', 'URL of the model'),
  variable('LAL_MODEL', 'by provider', 'the model, as its provider names it'),
  variable('LAL_AUTH_TOKEN', '', 'the key for the model; never shown'),
  variable('LAL_PROVIDER', 'by LAL_HOST', 'openai or practice'),
  variable('LAL_MAX_TOKENS', '4096', 'tokens of one answer'),
  variable('LAL_MODEL_TIMEOUT_MS', '120000', 'time for one model call'),
  variable('LAL_TOOL_TIMEOUT_MS', '120000', 'time for one tool call'),
  variable('LAL_MAX_STEPS', '30', 'model calls for one message'),
  variable('LAL_TURN_TOKENS', '200000', 'tokens for one message'),
  variable('LAL_MAX_CONCURRENT', '4', 'messages worked on at a time'),
  variable('LAL_OPEN', '', 'pet names of senders served as the HOST is'),
  variable('LAL_GUEST_TOKENS', '200000', 'tokens a day for mail from others'),
  variable('LAL_MAX_EXCHANGES', '12', 'automatic replies to one conversation'),
  variable('HOB_NAME', 'hob', 'the name of the agent'),
  variable('HOB_PROVISION', '', 'set by the setup script'),
];
harden(VARIABLES);

const KNOWN: ReadonlySet<string> = new Set(VARIABLES.map(({ name }) => name));

const DEFAULT_MODELS = harden({
  openai: 'qwen3',
  anthropic: 'claude-opus-4-5-20251101',
  ollama: 'qwen3',
  practice: 'rules',
});

/** Unset and empty mean the same. */
const read = (env: Env, name: string): string | undefined =>
  env[name] === '' ? undefined : env[name];

const readText = (env: Env, name: string): string => {
  const { fallback } = VARIABLES.find((each) => each.name === name) ?? {};
  return read(env, name) ?? fallback ?? '';
};

/** The longest delay of a timer; a longer one fires at once. */
const MOST = 2 ** 31 - 1;

const readCount = (env: Env, name: string): number => {
  const text = readText(env, name);
  const count = Number(text);
  if (/^\d+$/u.test(text) && count > 0 && count <= MOST) {
    return count;
  }
  throw Error(
    `${name} is ${JSON.stringify(text)}; it must be a whole number from 1 to ${MOST}`,
  );
};

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

const readModel = (env: Env): ModelConfig => {
  const host = readText(env, 'LAL_HOST');
  const provider = selectProvider(host, read(env, 'LAL_PROVIDER'));
  const common = {
    host,
    model: read(env, 'LAL_MODEL') ?? DEFAULT_MODELS[provider],
    maxTokens: readCount(env, 'LAL_MAX_TOKENS'),
    timeoutMs: readCount(env, 'LAL_MODEL_TIMEOUT_MS'),
  };
  if (provider === 'practice') return { ...common, provider };
  // As it is sent: what a server echoes must be known again.
  const token = read(env, 'LAL_AUTH_TOKEN')?.trim() ?? '';
  return token === ''
    ? { ...common, provider }
    : { ...common, provider, authToken: makeSecret(token) };
};

/**
 * Read an environment.
 *
 * @throws Error that names the variable, its value and what it must be
 */
export const parseConfig = (env: Env): Config => {
  assertKnown(env);
  return harden({
    name: readText(env, 'HOB_NAME'),
    model: readModel(env),
    open: readNames(env, 'LAL_OPEN'),
    maxSteps: readCount(env, 'LAL_MAX_STEPS'),
    maxConcurrent: readCount(env, 'LAL_MAX_CONCURRENT'),
    turnTokens: readCount(env, 'LAL_TURN_TOKENS'),
    guestTokens: readCount(env, 'LAL_GUEST_TOKENS'),
    maxExchanges: readCount(env, 'LAL_MAX_EXCHANGES'),
    toolTimeoutMs: readCount(env, 'LAL_TOOL_TIMEOUT_MS'),
    provision: read(env, 'HOB_PROVISION'),
  });
};
harden(parseConfig);
