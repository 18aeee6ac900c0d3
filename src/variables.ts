import { PROVIDERS, type ProviderName } from './model/model-config.ts';

/** One variable: what a person may set, and what holds when it is not set. */
export type Variable = {
  readonly name: string;
  /** What holds when it is not set: the same for all providers, or by provider. */
  readonly fallback: string | Readonly<Record<ProviderName, string>>;
  /** What may be written, for people. */
  readonly values: string;
  readonly meaning: string;
};

/** The largest count: the longest delay of a timer; a longer one fires at once. */
export const MOST = 2 ** 31 - 1;
harden(MOST);

/** What a count is, in words. */
export const COUNT = `a whole number from 1 to ${MOST}`;
harden(COUNT);

const NAMES = 'pet names with commas between them';

const variable = (
  name: string,
  fallback: Variable['fallback'],
  values: string,
  meaning: string,
): Variable => ({ name, fallback, values, meaning });

/** Every variable that an agent reads. An unknown `LAL_*` is an error. */
export const VARIABLES: readonly Variable[] = [
  variable(
    'LAL_HOST',
    'http://localhost:11434',
    'a URL, or `practice:`',
    'Where the model is. `practice:` is a stand-in that follows rules.',
  ),
  variable(
    'LAL_MODEL',
    {
      openai: 'qwen3',
      anthropic: 'claude-opus-4-5-20251101',
      ollama: 'qwen3',
      practice: 'rules',
    },
    'text',
    'The model, as its provider names it.',
  ),
  variable(
    'LAL_AUTH_TOKEN',
    '',
    'a key: visible ASCII characters, no spaces',
    'The key for the model, for every provider that wants one. Never shown.',
  ),
  variable(
    'LAL_PROVIDER',
    '',
    PROVIDERS.map((name) => `\`${name}\``).join(', '),
    'Which wire is spoken to `LAL_HOST`. When it is not set, the URL decides.',
  ),
  variable(
    'LAL_MAX_TOKENS',
    { openai: '4096', anthropic: '8192', ollama: '', practice: '' },
    COUNT,
    'Tokens of one answer. An Ollama goes by its own limit when it is not set.',
  ),
  variable(
    'LAL_CONTEXT_TOKENS',
    '32768',
    COUNT,
    'Tokens that the model reads at once. An Ollama loads the model with so many (`num_ctx`); to other providers nothing is said of it.',
  ),
  variable(
    'LAL_MAX_MESSAGES',
    '',
    COUNT,
    'How many messages of a conversation the model is shown, the newest; all when it is not set. The prompt, and the newest message with all that followed it, are always shown.',
  ),
  variable(
    'LAL_MODEL_TIMEOUT_MS',
    '120000',
    COUNT,
    'Milliseconds for one call of the model.',
  ),
  variable(
    'LAL_TOOL_TIMEOUT_MS',
    '120000',
    COUNT,
    'Milliseconds for one call of a tool.',
  ),
  variable('LAL_MAX_STEPS', '30', COUNT, 'Calls of the model for one message.'),
  variable(
    'LAL_TURN_TOKENS',
    '200000',
    COUNT,
    'Tokens for one message, input and output.',
  ),
  variable(
    'LAL_MAX_CONCURRENT',
    '4',
    COUNT,
    'Messages that are worked on at a time.',
  ),
  variable(
    'LAL_CACHE_BYTES',
    '8388608',
    COUNT,
    'Bytes of conversations that are kept in memory; the rest is read again when it is needed.',
  ),
  variable(
    'LAL_OPEN',
    '',
    NAMES,
    'Senders that are served as the HOST is, by the names that the agent has for them. Do not open agents in a ring: each new message between three of them begins a new conversation.',
  ),
  variable(
    'LAL_GUEST_TOKENS',
    '200000',
    COUNT,
    'Tokens a UTC day for the mail of anyone but the HOST.',
  ),
  variable(
    'LAL_MAX_EXCHANGES',
    '12',
    COUNT,
    'Automatic replies in one conversation with anyone but the HOST.',
  ),
];
harden(VARIABLES);
