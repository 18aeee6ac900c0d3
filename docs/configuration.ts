/** The page on configuration, made of the tables that the program goes by. */
import { HOB_VARIABLES } from '../setup/settings.ts';
import { COUNT, VARIABLES } from '../src/variables.ts';
import type { Variable } from '../src/variables.ts';

const PROVIDER_WORDS = {
  openai: 'OpenAI-compatible',
  anthropic: 'Anthropic',
  ollama: 'Ollama',
  practice: 'practice',
} as const;

const code = (text: string): string => (text === '' ? 'none' : `\`${text}\``);

const fallbackWords = (fallback: Variable['fallback']): string => {
  if (typeof fallback === 'string') return code(fallback);
  const providers = new Map<string, string[]>();
  for (const [provider, words] of Object.entries(PROVIDER_WORDS)) {
    const value = code(fallback[provider as keyof typeof PROVIDER_WORDS]);
    providers.set(value, [...(providers.get(value) ?? []), words]);
  }
  return [...providers]
    .map(([value, names]) => `${names.join(', ')}: ${value}`)
    .join('; ');
};

/** A table with columns of even width, as the formatter wants it. */
const table = (
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string => {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[], filler = ' '): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, filler)).join(' | ')} |`;
  return [line(head), line([], '-'), ...rows.map((row) => line(row))].join(
    '\n',
  );
};

const HEAD = ['variable', 'default', 'values', 'meaning'];

const PROVIDER_ROWS = [
  [
    '`practice:`',
    '`practice`',
    'none: a stand-in that follows rules, to try Hob with no model',
  ],
  [
    'the host is `anthropic.com`, or ends in `.anthropic.com`',
    '`anthropic`',
    "Anthropic's Messages API",
  ],
  [
    'the path has `/v1` in it',
    '`openai`',
    'the OpenAI wire: llama.cpp, vLLM, LM Studio, OpenAI and others',
  ],
  ['anything else', '`ollama`', "Ollama's own API"],
];

/** The text of `docs/configuration.md`. */
export const configurationPage = (): string => `# Configuration

<!-- Made by \`npm run docs\` from src/variables.ts and setup/settings.ts. -->

Hob is configured with variables of the environment. Set them when you start or
set up an agent:

    LAL_HOST=http://localhost:8080/v1 LAL_MODEL=qwen3 npm start

What you set is kept with the agent, the key for the same \`LAL_HOST\` included:
Hob's daemon hands it on without showing it to anyone. (Endo's own daemon cannot:
have \`LAL_AUTH_TOKEN\` in the environment there whenever you change something.)
What you do not name stays as it was, and an empty value goes back to the default.
An unknown \`LAL_*\` or \`HOB_*\` or a malformed value is an error that names it,
and then nothing is changed.

## The model

${table(['`LAL_HOST`', '`LAL_PROVIDER`', 'what is spoken there'], PROVIDER_ROWS)}

The URL decides, unless \`LAL_PROVIDER\` says otherwise. When neither is set, setup
looks for an Ollama at \`http://localhost:11434\` and takes \`qwen3\` there, or else
its first model; when there is none, it is \`practice:\`. With \`LAL_PROVIDER\` alone,
\`anthropic\` is at \`https://api.anthropic.com\` and \`ollama\` on this machine.

To see whether a configuration works, ask the model once, with no daemon:

    LAL_HOST=… LAL_MODEL=… npm run -s simulator

## Variables of an agent

${table(
  HEAD,
  VARIABLES.map(({ name, fallback, values, meaning }) => [
    `\`${name}\``,
    fallbackWords(fallback),
    values === COUNT ? 'a count' : values,
    meaning,
  ]),
)}

A count is ${COUNT}.

An Ollama is told to refuse a conversation that is longer than
\`LAL_CONTEXT_TOKENS\`, where by itself it would cut the beginning away, prompt
included, and say nothing. More context takes more memory. Set it to what the
model can read and the machine can hold.

\`LAL_MAX_MESSAGES\` begins with a question of the sender: an answer is not shown
without what it answers, nor a tool's result without its call. So it may be
fewer; and it may be more, since the newest message of the sender and all that
was done for it are always shown.

## Variables of the daemon, the command and setup

${table(
  HEAD,
  HOB_VARIABLES.map(({ name, fallback, values, meaning }) => [
    `\`${name}\``,
    fallback,
    values,
    meaning,
  ]),
)}
`;
harden(configurationPage);
