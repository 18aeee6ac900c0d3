import { readAnswerParts } from './answer-parts.ts';
import type { AnswerPart } from './answer-parts.ts';
import type { ToolCall } from './chat.ts';
import { readEntries } from './json-span.ts';

export type ExtractPowers = {
  /** Ids that are unique within the turn. */
  readonly makeId: () => string;
  /** Whether this call stands in what others wrote: then it is text. */
  readonly isQuoted?: (json: string) => boolean;
};

export type Extracted = {
  /** What is left without the calls; think blocks stay, as the model wrote them. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** Calls whose tool could not be made out: a sentence each, for the model. */
  readonly problems: readonly string[];
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    // Not JSON is an answer here: the caller falls back on the source text.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const shorten = (text: string): string =>
  text.length > 120 ? `${text.slice(0, 120)}…` : text;

/** The arguments as the model wrote them: an object, or its text in a string. */
const argumentsTextOf = (entries: ReadonlyMap<string, string>): string => {
  const source = entries.get('arguments') ?? entries.get('parameters') ?? '{}';
  if (source === 'null' || source === '') return '{}';
  if (!source.startsWith('"')) return source;
  const text = parseJson(source);
  if (typeof text !== 'string') return source;
  return text.trim() === '' ? '{}' : text;
};

type NamedCall = { readonly name: string; readonly argumentsText: string };

const readNamedCall = (json: string): NamedCall | undefined => {
  const outer = readEntries(json);
  const inner = outer.get('function');
  // The wire's own form: {"type":"function","function":{"name":…,"arguments":…}}
  const entries = inner?.startsWith('{') ? readEntries(inner) : outer;
  const name = parseJson(entries.get('name') ?? inner ?? '');
  if (typeof name !== 'string' || name === '') return undefined;
  return { name, argumentsText: argumentsTextOf(entries) };
};

/** One part may hold a list of calls. */
const sourcesOf = (json: string): readonly string[] => {
  if (!json.startsWith('[')) return [json];
  const list = parseJson(json);
  if (!Array.isArray(list) || list.length === 0) return [json];
  return list.map((item) => JSON.stringify(item));
};

const problemWith = (json: string): string =>
  `A <tool_call> was not run, because the name of its tool could not be read. ` +
  `Write {"name": …, "arguments": {…}}, in valid JSON. It was: ${shorten(json)}`;

/**
 * Tool calls that arrive as text, `<tool_call>{json}</tool_call>`, outside of
 * think blocks (`readAnswerParts`). A call that is not valid JSON but whose name
 * can be read is a call with the source of its arguments, so that the dispatch
 * tells the model what is wrong with them; one with no readable name is a
 * problem. A tag that is only mentioned stays text. With no calls and no
 * problems, the content is returned as it came. Contract: never throws.
 */
export const extractToolCalls = (
  content: string,
  { makeId, isQuoted = () => false }: ExtractPowers,
): Extracted => {
  const toolCalls: ToolCall[] = [];
  const problems: string[] = [];
  const kept: string[] = [];
  for (const part of readAnswerParts(content)) {
    if (part.type !== 'call' || isQuoted(part.json)) {
      kept.push(part.source);
      continue;
    }
    for (const source of sourcesOf(part.json)) {
      const call = readNamedCall(source);
      if (call) toolCalls.push({ id: makeId(), ...call });
      else problems.push(problemWith(source));
    }
  }
  const changed = toolCalls.length > 0 || problems.length > 0;
  return harden({
    content: changed ? kept.join('').trimEnd() : content,
    toolCalls,
    problems,
  });
};
harden(extractToolCalls);

const sourceOfText = (part: AnswerPart): string =>
  part.type === 'text' ? part.source : '';

/** What is sent to a person: no think blocks, no tool calls, trimmed. */
export const visibleText = (content: string): string =>
  readAnswerParts(content).map(sourceOfText).join('').trim();
harden(visibleText);
