/** Puts an answer of Ollama's wire together from the lines of its stream. */
import type {
  ChatAnswer,
  StopReason,
  ToolCall,
  Usage,
} from '../src/model/chat.ts';
import { makeBadResponseError } from './http-errors.ts';
import { makeCutError } from './ollama-errors.ts';
import type { OllamaAsked } from './ollama-errors.ts';
import { withUniqueIds } from './wire-calls.ts';
import { countOf, fieldsOf, listOf, textOf } from './wire-values.ts';

const argumentsTextOf = (value: unknown): string => {
  if (value === undefined || value === null) return '{}';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const stopFor = (reason: string, hasCalls: boolean): StopReason => {
  if (reason === 'length') return 'length';
  return hasCalls ? 'tools' : 'end';
};

export type OllamaAnswerBuilder = {
  /** Takes one line of the stream. */
  readonly add: (line: unknown) => void;
  /** Throws a `ModelError` when there was no answer, or one to a cut question. */
  readonly build: () => ChatAnswer;
};

/** `taken`: the ids of earlier calls, which no call of this answer may have. */
export const makeOllamaAnswerBuilder = (
  taken: ReadonlySet<string>,
  asked: OllamaAsked,
): OllamaAnswerBuilder => {
  const texts: string[] = [];
  const calls: ToolCall[] = [];
  let usage: Usage = { input: 0, cached: 0, output: 0 };
  let reason = '';
  let messages = 0;

  const addCall = (value: unknown): void => {
    const { id, function: called } = fieldsOf(value);
    const { name, arguments: args } = fieldsOf(called);
    calls.push({
      id: textOf(id),
      name: textOf(name),
      argumentsText: argumentsTextOf(args),
    });
  };

  const add = (line: unknown): void => {
    const fields = fieldsOf(line);
    const { message, done_reason: doneReason } = fields;
    if (typeof doneReason === 'string') reason = doneReason;
    if (fields['done'] === true) {
      usage = {
        input: countOf(fields['prompt_eval_count']),
        // The wire does not say what came from its cache.
        cached: 0,
        output: countOf(fields['eval_count']),
      };
    }
    if (typeof message !== 'object' || message === null) return;
    messages += 1;
    // What is thought (`thinking`) is not said.
    const { content, tool_calls: toolCalls } = fieldsOf(message);
    texts.push(textOf(content));
    listOf(toolCalls).forEach(addCall);
  };

  const build = (): ChatAnswer => {
    if (messages === 0)
      throw makeBadResponseError('an answer that has no message', asked);
    // Servers that do not know `truncate` cut a long prompt to the context.
    if (usage.input >= asked.contextTokens) throw makeCutError(asked);
    const toolCalls = withUniqueIds(calls, taken);
    return harden({
      message: { role: 'assistant', content: texts.join(''), toolCalls },
      stop: stopFor(reason, toolCalls.length > 0),
      usage,
    });
  };
  return harden({ add, build });
};
harden(makeOllamaAnswerBuilder);
