/**
 * Puts an answer of the OpenAI wire together, from the chunks of a stream or
 * from one whole completion. What comes in is what some server sent: nothing of
 * its shape is trusted.
 */
import type { ChatAnswer, StopReason, Usage } from '../src/model/chat.ts';
import { makeBadResponseError } from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { withUniqueIds } from './wire-calls.ts';
import { countOf, fieldsOf, listOf, textOf } from './wire-values.ts';
import type { Fields } from './wire-values.ts';

const argumentsOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

type Slot = { key: unknown; id: string; name: string; argumentsText: string };

/** The slot that a piece of a call belongs to; a new one when it starts a call. */
const slotFor = (
  slots: Slot[],
  piece: Fields,
  id: string,
  name: string,
): Slot => {
  const key = piece['index'];
  const last = slots.at(-1);
  const known =
    key === undefined || key === null
      ? id === '' && name === ''
        ? last
        : slots.find((slot) => id !== '' && slot.id === id)
      : slots.findLast((slot) => slot.key === key);
  // Some servers number every call 0: another id with a name is another call.
  const isOther =
    known && id !== '' && known.id !== '' && id !== known.id && name !== '';
  if (known && !isOther) return known;
  const slot = { key, id: '', name: '', argumentsText: '' };
  slots.push(slot);
  return slot;
};

const stopFor = (
  reason: string,
  refused: boolean,
  hasCalls: boolean,
): StopReason => {
  if (reason === 'length') return 'length';
  if (reason === 'content_filter' || refused) return 'refusal';
  return hasCalls ? 'tools' : 'end';
};

export type AnswerBuilder = {
  /** Takes a chunk of a stream, or a whole completion. */
  readonly add: (chunk: unknown) => void;
  /** Whether the server has said why it stopped. */
  readonly isFinished: () => boolean;
  /** Throws a `ModelError` of kind `bad-response` when there was no answer. */
  readonly build: () => ChatAnswer;
};

/** `taken`: the ids of earlier calls, which no call of this answer may have. */
export const makeAnswerBuilder = (
  taken: ReadonlySet<string>,
  asked: Asked,
): AnswerBuilder => {
  const texts: string[] = [];
  const slots: Slot[] = [];
  let usage: Usage = { input: 0, cached: 0, output: 0 };
  let reason = '';
  let refused = false;
  let choices = 0;
  let messages = 0;

  const addCall = (value: unknown) => {
    const piece = fieldsOf(value);
    const { name, arguments: args } = fieldsOf(piece['function']);
    const id = textOf(piece['id']);
    const slot = slotFor(slots, piece, id, textOf(name));
    if (slot.id === '') slot.id = id;
    if (slot.name === '') slot.name = textOf(name);
    slot.argumentsText += argumentsOf(args);
  };

  const addUsage = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const fields = fieldsOf(value);
    usage = {
      input: countOf(fields['prompt_tokens']),
      cached: countOf(
        fieldsOf(fields['prompt_tokens_details'])['cached_tokens'],
      ),
      output: countOf(fields['completion_tokens']),
    };
  };

  const add = (chunk: unknown) => {
    const fields = fieldsOf(chunk);
    addUsage(fields['usage']);
    const [choice] = listOf(fields['choices']);
    if (choice === undefined) return;
    choices += 1;
    const { delta, message, finish_reason: finished } = fieldsOf(choice);
    if (typeof finished === 'string') reason = finished;
    const part = delta ?? message;
    if (typeof part !== 'object' || part === null) return;
    messages += 1;
    const { content, refusal, tool_calls: toolCalls } = fieldsOf(part);
    texts.push(textOf(content));
    if (typeof refusal === 'string' && refusal !== '') {
      refused = true;
      texts.push(refusal);
    }
    listOf(toolCalls).forEach(addCall);
  };

  const build = (): ChatAnswer => {
    if (choices === 0) throw makeBadResponseError('no choices', asked);
    if (messages === 0)
      throw makeBadResponseError('a choice that has no message', asked);
    const toolCalls = withUniqueIds(slots, taken);
    return harden({
      message: { role: 'assistant', content: texts.join(''), toolCalls },
      stop: stopFor(reason, refused, toolCalls.length > 0),
      usage,
    });
  };
  return harden({ add, isFinished: () => reason !== '', build });
};
harden(makeAnswerBuilder);
