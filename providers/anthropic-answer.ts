/**
 * Puts an answer of the Anthropic wire together, from the events of a stream or
 * from one whole message. Nothing of the shape of what comes in is trusted.
 */
import type { ChatAnswer, StopReason } from '../src/model/chat.ts';
import { ModelError } from '../src/model/model-error.ts';
import { makeBadResponseError } from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { withUniqueIds } from './wire-calls.ts';
import { countOf, fieldsOf, listOf, textOf } from './wire-values.ts';
import type { Fields } from './wire-values.ts';

/** A block of the answer, as far as it has come. */
type Block = {
  readonly type: unknown;
  readonly id: string;
  readonly name: string;
  /** As a whole, where it came so; a stream sends `{}` here and then pieces. */
  readonly input: unknown;
  text: string;
  inputText: string;
};

const makeBlock = (fields: Fields): Block => ({
  type: fields['type'],
  id: textOf(fields['id']),
  name: textOf(fields['name']),
  input: fields['input'],
  text: textOf(fields['text']),
  inputText: '',
});

const argumentsOf = ({ input, inputText }: Block): string =>
  inputText === '' ? JSON.stringify(fieldsOf(input)) : inputText;

const USAGE_NAMES = [
  'input_tokens',
  'cache_creation_input_tokens',
  'cache_read_input_tokens',
  'output_tokens',
] as const;

/** Total input is the sum of what was read anew, stored and read from the cache. */
const usageOf = (counts: ReadonlyMap<string, number>) => {
  const [fresh = 0, stored = 0, cached = 0, output = 0] = USAGE_NAMES.map(
    (name) => counts.get(name) ?? 0,
  );
  return { input: fresh + stored + cached, cached, output };
};

const overflowError = ({ host, model }: Asked): ModelError =>
  new ModelError(
    `The context of ${model} at ${host} was full before its answer was whole`,
    {
      kind: 'overflow',
      remedy:
        'Begin a new conversation, or use a model with a larger context (LAL_MODEL).',
    },
  );

const stopFor = (reason: string, hasCalls: boolean): StopReason => {
  if (reason === 'max_tokens') return 'length';
  if (reason === 'refusal') return 'refusal';
  if (hasCalls) return 'tools';
  // A pause is no end: the model is to go on, as after a cut.
  return reason === 'pause_turn' ? 'length' : 'end';
};

export type AnthropicAnswerBuilder = {
  /** Takes an event of a stream, or a whole message. */
  readonly add: (event: unknown) => void;
  /** Whether the server has said why it stopped. */
  readonly isFinished: () => boolean;
  /**
   * Throws a `ModelError`: `bad-response` when there was no message, `overflow`
   * when the context was full before the answer was whole.
   */
  readonly build: () => ChatAnswer;
};

/** `taken`: the ids of earlier calls, which no call of this answer may have. */
export const makeAnthropicAnswerBuilder = (
  taken: ReadonlySet<string>,
  asked: Asked,
): AnthropicAnswerBuilder => {
  const blocks = new Map<unknown, Block>();
  const counts = new Map<string, number>();
  let messages = 0;
  let reason = '';
  let explanation = '';

  /** Counts are cumulative; a later event may leave out what it knows already. */
  const addUsage = (value: unknown) => {
    const fields = fieldsOf(value);
    for (const name of USAGE_NAMES) {
      if (typeof fields[name] === 'number')
        counts.set(name, countOf(fields[name]));
    }
  };

  const addStop = (value: unknown) => {
    const fields = fieldsOf(value);
    if (typeof fields['stop_reason'] === 'string')
      reason = fields['stop_reason'];
    explanation ||= textOf(fieldsOf(fields['stop_details'])['explanation']);
  };

  const addMessage = (value: unknown) => {
    const message = fieldsOf(value);
    if (!Array.isArray(message['content'])) return;
    messages += 1;
    listOf(message['content']).forEach((block, index) => {
      blocks.set(index, makeBlock(fieldsOf(block)));
    });
    addStop(message);
    addUsage(message['usage']);
  };

  const addDelta = (index: unknown, delta: Fields) => {
    const block = blocks.get(index);
    if (!block) return;
    // Thoughts and signatures come as other deltas.
    if (delta['type'] === 'text_delta') block.text += textOf(delta['text']);
    if (delta['type'] === 'input_json_delta')
      block.inputText += textOf(delta['partial_json']);
  };

  const add = (event: unknown) => {
    const fields = fieldsOf(event);
    switch (fields['type']) {
      case 'message':
        addMessage(fields);
        break;
      case 'message_start':
        addMessage(fields['message']);
        break;
      case 'content_block_start':
        blocks.set(
          fields['index'],
          makeBlock(fieldsOf(fields['content_block'])),
        );
        break;
      case 'content_block_delta':
        addDelta(fields['index'], fieldsOf(fields['delta']));
        break;
      case 'message_delta':
        addStop(fields['delta']);
        addUsage(fields['usage']);
        break;
      default:
      // Pings, ends of blocks, and kinds of events that are yet to come.
    }
  };

  const blocksOf = (type: string) =>
    [...blocks.values()].filter((block) => block.type === type);

  const build = (): ChatAnswer => {
    if (messages === 0) throw makeBadResponseError('no message', asked);
    if (reason === 'model_context_window_exceeded') throw overflowError(asked);
    const toolCalls = withUniqueIds(
      blocksOf('tool_use').map((block) => ({
        id: block.id,
        name: block.name,
        argumentsText: argumentsOf(block),
      })),
      taken,
    );
    const text = blocksOf('text')
      .map((block) => block.text)
      .join('');
    return harden({
      message: { role: 'assistant', content: text || explanation, toolCalls },
      stop: stopFor(reason, toolCalls.length > 0),
      usage: usageOf(counts),
    });
  };
  return harden({ add, isFinished: () => reason !== '', build });
};
harden(makeAnthropicAnswerBuilder);
