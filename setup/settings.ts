/**
 * The settings that a person gives to an agent, checked as far as their shape
 * goes, before anything is touched. What they mean is the agent's business.
 */
export type Settings = {
  /** Pet name of the agent. */
  readonly name: string;
  /** Every `LAL_*` that is set; an empty one is not set. */
  readonly given: Readonly<Record<string, string>>;
  /** Every `LAL_*` that is there and empty: it goes back to its default. */
  readonly unset: readonly string[];
};

export type Environment = Readonly<Record<string, string | undefined>>;

/** The longest delay of a timer, and enough of everything else. */
const MOST = 2 ** 31 - 1;

/** Whole numbers above 0. */
const COUNTS: readonly string[] = harden([
  'LAL_MAX_TOKENS',
  'LAL_CONTEXT_TOKENS',
  'LAL_MAX_MESSAGES',
  'LAL_MODEL_TIMEOUT_MS',
  'LAL_TOOL_TIMEOUT_MS',
  'LAL_MAX_STEPS',
  'LAL_TURN_TOKENS',
  'LAL_MAX_CONCURRENT',
  'LAL_CACHE_BYTES',
  'LAL_GUEST_TOKENS',
  'LAL_MAX_EXCHANGES',
]);

const EVAL_TIMEOUT = 'HOB_EVAL_TIMEOUT_MS';

/** Every variable that setup passes on to the agent. */
export const AGENT_VARIABLES: readonly string[] = harden([
  'LAL_HOST',
  'LAL_MODEL',
  'LAL_AUTH_TOKEN',
  'LAL_PROVIDER',
  'LAL_OPEN',
  ...COUNTS,
]);
harden(AGENT_VARIABLES);

/** One variable that is not about an agent's model: what it is, for people. */
export type HobVariable = {
  readonly name: string;
  /** What holds when it is not set. */
  readonly fallback: string;
  readonly values: string;
  readonly meaning: string;
};

/** Every variable that setup, the daemon and the command read. */
export const HOB_VARIABLES: readonly HobVariable[] = harden([
  {
    name: 'HOB_NAME',
    fallback: '`hob`',
    values: 'at most 112 of a-z, 0-9 and `-`',
    meaning: 'The name of the agent that is made or set up anew.',
  },
  {
    name: 'HOB_STATE_PATH',
    fallback: '`$XDG_STATE_HOME/hob`, else `~/.local/state/hob`',
    values: 'a directory',
    meaning: 'Where the daemon keeps what it has.',
  },
  {
    name: 'HOB_SOCK',
    fallback: '`$XDG_RUNTIME_DIR/hob/hob.sock`, else in the state directory',
    values: 'a path of a socket',
    meaning:
      'Where the daemon is reached. With `HOB_STATE_PATH` set, the socket lies there.',
  },
  {
    name: EVAL_TIMEOUT,
    fallback: '`60000`',
    values: 'a count',
    meaning:
      'Milliseconds for code that is evaluated. The daemon reads it when it starts.',
  },
]);
harden(HOB_VARIABLES);

const KNOWN: readonly (readonly [prefix: string, names: readonly string[]])[] =
  [
    ['LAL_', AGENT_VARIABLES],
    ['HOB_', HOB_VARIABLES.map(({ name }) => name)],
  ];

const PROVIDERS: readonly string[] = [
  'openai',
  'anthropic',
  'ollama',
  'practice',
];

// "profile-for-" and "controller-for-" go before it, and 128 is the limit.
const PET_NAME = /^[a-z0-9][a-z0-9-]{0,111}$/u;

const quote = (text: string): string => JSON.stringify(text);

const assertUrl = (name: string, value: string): void => {
  if (value === 'practice:') return;
  let url;
  try {
    url = new URL(value);
  } catch (cause) {
    throw Error(
      `${name} is ${quote(value)}, which is not a URL; write one as "http://localhost:11434" or "http://localhost:8080/v1", or "practice:" for no model`,
      { cause },
    );
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw Error(
      `${name} is ${quote(value)}; it must begin with http:// or https://, or be "practice:"`,
    );
  }
  // The value stays out of the error: it holds a secret.
  if (url.username !== '' || url.password !== '') {
    throw Error(
      `${name} has a user name or a password in it; take it out and set LAL_AUTH_TOKEN`,
    );
  }
};

const assertNames = (name: string, value: string): void => {
  for (const each of value.split(/[\s,]+/u)) {
    if (each !== '' && !/^[a-z0-9][a-z0-9-]{0,127}$/u.test(each)) {
      throw Error(
        `${name} holds ${quote(each)}, which is not a pet name; write names with commas between them`,
      );
    }
  }
};

const assertToken = (name: string, value: string): void => {
  // The value stays out of the error: it is a secret.
  if (/^[\x21-\x7e]*$/u.test(value.trim())) return;
  throw Error(
    `${name} has a character that no key has (a space, a line break, or one beyond ASCII); copy the key again`,
  );
};

/** Also when it is empty: a typo would say that it is back at its default. */
const assertKnown = (key: string): void => {
  for (const [prefix, known] of KNOWN) {
    if (key.startsWith(prefix) && !known.includes(key)) {
      throw Error(`there is no setting ${key}; there are ${known.join(', ')}`);
    }
  }
};

const assertCount = (name: string, value: string): void => {
  const isCount = /^\d+$/u.test(value) && Number(value) > 0;
  if (!isCount || Number(value) > MOST) {
    throw Error(
      `${name} is ${quote(value)}; it must be a whole number from 1 to ${MOST}`,
    );
  }
};

const assertValue = (name: string, value: string): void => {
  if (name === 'LAL_HOST') assertUrl(name, value);
  if (name === 'LAL_OPEN') assertNames(name, value);
  if (name === 'LAL_AUTH_TOKEN') assertToken(name, value);
  if (name === 'LAL_PROVIDER' && !PROVIDERS.includes(value)) {
    throw Error(
      `${name} is ${quote(value)}; there are ${PROVIDERS.join(', ')}`,
    );
  }
  if (COUNTS.includes(name)) assertCount(name, value);
};

/** Throws an error that names the variable and says what it must be. */
export const readSettings = (env: Environment): Settings => {
  Object.keys(env).forEach(assertKnown);
  const name = env['HOB_NAME'] || 'hob';
  if (!PET_NAME.test(name)) {
    throw Error(
      `HOB_NAME is ${quote(name)}; a name has at most 112 of a-z, 0-9 and "-", and does not begin with "-"`,
    );
  }
  // A daemon that runs already would not say so.
  const evalTimeout = env[EVAL_TIMEOUT];
  if (evalTimeout !== undefined && evalTimeout !== '')
    assertCount(EVAL_TIMEOUT, evalTimeout);
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) =>
      key.startsWith('LAL_') && value !== undefined && value !== ''
        ? [[key, value] as const]
        : [],
    ),
  );
  for (const [key, value] of Object.entries(given)) assertValue(key, value);
  const unset = Object.keys(env).filter(
    (key) => key.startsWith('LAL_') && env[key] === '',
  );
  return harden({ name, given, unset });
};
harden(readSettings);
