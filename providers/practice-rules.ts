/** The rules of the practice model: what somebody wrote → what it does. */
import { readOutcome } from './practice-outcomes.ts';
import { solveSum } from './practice-sums.ts';
import { parseJson } from './wire-values.ts';

export type RuleInput = {
  /** The texts of the conversation, oldest first; the last is to be answered. */
  readonly mail: readonly string[];
  /** The tools that are offered. */
  readonly toolNames: readonly string[];
};

export type RuleOutcome =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'call'; readonly name: string; readonly args: unknown };

/** The groups of the rule's pattern, empty where they did not take part. */
type Groups = readonly string[];
type Rule = {
  readonly pattern: RegExp;
  /** Undefined: this rule has nothing to say after all. */
  readonly apply: (groups: Groups, input: RuleInput) => RuleOutcome | undefined;
};

const say = (text: string): RuleOutcome => ({ type: 'say', text });

const callIfOffered = (
  name: string,
  args: unknown,
  { toolNames }: RuleInput,
  otherwise: string,
): RuleOutcome =>
  toolNames.includes(name) ? { type: 'call', name, args } : say(otherwise);

const help = (_groups: Groups, { toolNames }: RuleInput): RuleOutcome =>
  say(
    [
      'I only follow rules; set LAL_HOST to the URL of a model for a real one. I know:',
      '- help',
      '- echo some text',
      '- what is 2 + 3 * 4?',
      '- my name is Ada, and later: what is my name?',
      '- list names',
      '- store 5 as lucky-number',
      '- send bob hello there',
      '- use greet {"name": "Ada"} (any tool that I am offered)',
      '- propose 6 * 7 (you decide), or: propose counter + 1 with counter',
      '- request a counter (you answer or refuse)',
      toolNames.length > 0
        ? `My tools: ${toolNames.join(', ')}.`
        : 'I have no tools here.',
    ].join('\n'),
  );

const NAME_TOLD =
  /^(?:hello[,!. ]+|hi[,!. ]+)?(?:my name is|call me)\s+(\S[^.!?\n]{0,60})/i;

const nameIn = (mail: readonly string[]): string | undefined =>
  mail
    .map((text) => NAME_TOLD.exec(text)?.[1]?.trim())
    .findLast((name) => name !== undefined);

const tellName = (_groups: Groups, { mail }: RuleInput): RuleOutcome => {
  const name = nameIn(mail);
  return say(
    name === undefined
      ? 'You have not told me your name in this conversation.'
      : `Your name is ${name}.`,
  );
};

const sum = ([expression = '']: Groups): RuleOutcome | undefined => {
  const outcome = solveSum(expression);
  if (outcome.type === 'not-a-sum') return undefined;
  if (outcome.type === 'refused')
    return say(`I cannot work that out: ${outcome.reason}.`);
  return say(`${expression.trim()} = ${outcome.text}`);
};

const pathOf = (text: string): readonly string[] =>
  text
    .replace(/\.+$/, '')
    .split('/')
    .filter((part) => part !== '');

const list = ([path = '']: Groups, input: RuleInput): RuleOutcome =>
  callIfOffered(
    'list',
    { petNamePath: pathOf(path) },
    input,
    'I am not offered the tool list.',
  );

/** JSON where it is JSON, else the text, marked as plain where SmallCaps would decode it. */
const valueOf = (text: string): unknown => {
  const value = parseJson(text) ?? text;
  return typeof value === 'string' && /^[!-\-]/.test(value)
    ? `!${value}`
    : value;
};

const store = (
  [value = '', name = '']: Groups,
  input: RuleInput,
): RuleOutcome => {
  const path = pathOf(name);
  const petName = path.length === 1 ? path[0] : path;
  const args = { petName, value: valueOf(value.trim()) };
  return callIfOffered(
    'store',
    args,
    input,
    'I am not offered the tool store.',
  );
};

const send = (
  [recipientName = '', text = '']: Groups,
  input: RuleInput,
): RuleOutcome => {
  const args = { recipientName, strings: [text], edgeNames: [], petNames: [] };
  return callIfOffered('send', args, input, 'I am not offered the tool send.');
};

const use = (
  [name = '', argumentsText = '']: Groups,
  input: RuleInput,
): RuleOutcome => {
  const args = argumentsText.trim() === '' ? {} : parseJson(argumentsText);
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return say(
      `The arguments of ${name} must be a JSON object, such as {"name": "Ada"}.`,
    );
  }
  const offered = input.toolNames.join(', ');
  const otherwise = `I am not offered a tool ${name}; I have: ${offered === '' ? 'none' : offered}.`;
  return callIfOffered(name, args, input, otherwise);
};

const callEvaluate = (
  code: {
    readonly source: string;
    readonly codeNames: readonly string[];
    readonly petNames: readonly string[];
  },
  purpose: string,
  input: RuleInput,
): RuleOutcome =>
  callIfOffered(
    'evaluate',
    { ...code, purpose },
    input,
    'I cannot propose code here: I am not offered the tool evaluate.',
  );

/** `notes/my-counter` as a name in code: `myCounter`. */
const codeNameOf = (petName: string): string =>
  (petName.split('/').at(-1) ?? '').replace(/-+(\w?)/g, (_dashes, letter) =>
    String(letter).toUpperCase(),
  );

const propose = (
  [source = '', given = '']: Groups,
  input: RuleInput,
): RuleOutcome => {
  const petNames = given.split(/[\s,]+/).filter((name) => name !== '');
  const codeNames = petNames.map(codeNameOf);
  const code = { source: source.trim(), codeNames, petNames };
  return callEvaluate(code, 'you asked me to propose this', input);
};

const request = ([description = '']: Groups, input: RuleInput): RuleOutcome =>
  callIfOffered(
    'request',
    { recipientName: 'HOST', description: description.trim() },
    input,
    'I am not offered the tool request.',
  );

const hearOutcome = ([text = '']: Groups, input: RuleInput) => {
  const outcome = readOutcome(text);
  if (outcome === undefined) return undefined;
  return outcome.type === 'told'
    ? say(outcome.text)
    : callEvaluate(outcome.code, 'the code that you proposed', input);
};

const RULES: readonly Rule[] = [
  { pattern: /^(Your (?:proposal|request) #[\s\S]+)$/, apply: hearOutcome },
  { pattern: /^(?:help|\?|what can you do\b.*)$/i, apply: help },
  { pattern: /^(?:echo|say)\s+([\s\S]+)$/i, apply: ([text = '']) => say(text) },
  {
    pattern:
      /^(?:what is|what's|who am i|do you know) ?my name\b.*$|^who am i\b.*$/i,
    apply: tellName,
  },
  {
    pattern: NAME_TOLD,
    apply: ([name = '']) =>
      say(`Hello, ${name.trim()}. I will know that in this conversation.`),
  },
  {
    pattern:
      /^(?:(?:what is|what's|calculate|compute|how much is)\s+)?([^=?]+?)\s*[=?]*$/i,
    apply: sum,
  },
  {
    pattern:
      /^list(?:\s+(?:all\s+)?(?:my |your |the )?names)?(?:\s+(?:in|of)\s+)?\s*([\w./@-]*)\s*[.?]?$/i,
    apply: list,
  },
  { pattern: /^store\s+([\s\S]+)\s+as\s+([\w./@-]+?)[.!]?$/i, apply: store },
  { pattern: /^send\s+(?:to\s+)?(\S+?)[:,]?\s+([\s\S]+)$/i, apply: send },
  { pattern: /^use\s+([\w-]+)\s*([\s\S]*)$/i, apply: use },
  { pattern: /^request\s+([\s\S]+)$/i, apply: request },
  {
    pattern:
      /^propose\s+([\s\S]+?)(?:\s+with\s+([\w./-]+(?:\s*,\s*[\w./-]+)*))?$/i,
    apply: propose,
  },
  {
    pattern: /^(?:hello|hi|hey|good (?:morning|day|evening))\b.{0,40}$/i,
    apply: () => say('Hello. Say help to see what I can do.'),
  },
];

/** Contract: never throws. The first rule with something to say wins. */
export const applyRules = (input: RuleInput): RuleOutcome => {
  const text = input.mail.at(-1) ?? '';
  for (const { pattern, apply } of RULES) {
    const match = pattern.exec(text);
    const outcome = match
      ? apply(
          match.slice(1).map((group) => (group as string | undefined) ?? ''),
          input,
        )
      : undefined;
    if (outcome) return outcome;
  }
  return say(
    'I only follow rules, and none of them fits. Say help to see what I can do.',
  );
};
harden(applyRules);
