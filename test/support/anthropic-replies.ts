/** What a server of the Anthropic wire answers: replies and their form on the wire. */
import { halves } from './model-replies.ts';
import type { ModelReply, ReplyForm, ServerToolCall } from './model-replies.ts';

/** One answer. Without anything: no block at all. */
export type AnthropicReply = ModelReply & {
  /** As the reply ends: `end_turn`, `tool_use` …; null: it is not said. */
  readonly stopReason?: string | null;
  /** Why it refused. */
  readonly explanation?: string;
  readonly usage?: Readonly<Record<string, number | null>>;
  /** With a status other than 200. */
  readonly errorType?: string;
  /** An `error` event of this type in place of the rest of the stream. */
  readonly errorEvent?: string;
};

const stopOf = (reply: AnthropicReply): string | null => {
  if (reply.stopReason !== undefined) return reply.stopReason;
  if (reply.cutOff) return 'max_tokens';
  return reply.toolCalls?.length ? 'tool_use' : 'end_turn';
};

const stopDetailsOf = ({ explanation }: AnthropicReply) =>
  explanation === undefined
    ? null
    : { type: 'refusal', category: null, explanation };

const usageOf = (reply: AnthropicReply) => ({
  input_tokens: 20,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 7,
  ...reply.usage,
});

type Piece = Readonly<Record<string, string>>;
/** A block as it begins, the pieces that follow, and the block as a whole. */
type Block = {
  readonly start: object;
  readonly deltas: readonly Piece[];
  readonly whole: object;
};

const callBlock = (
  { id, name, args = {} }: ServerToolCall,
  index: number,
): Block => {
  const call = { type: 'tool_use', id: id ?? `toolu_${index}`, name };
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  const pieces = text === '{}' ? [''] : halves(text);
  return {
    start: { ...call, input: {} },
    deltas: pieces.map((partial) => ({
      type: 'input_json_delta',
      partial_json: partial,
    })),
    whole: { ...call, input: args },
  };
};

const blocksOf = (reply: AnthropicReply): readonly Block[] => {
  const { thinking, text, toolCalls = [] } = reply;
  const thought: Block = {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...halves(thinking ?? '').map((part) => ({
        type: 'thinking_delta',
        thinking: part,
      })),
      { type: 'signature_delta', signature: 'EqQBCgIYAhIM' },
    ],
    whole: { type: 'thinking', thinking, signature: 'EqQBCgIYAhIM' },
  };
  const said: Block = {
    start: { type: 'text', text: '' },
    deltas: halves(text ?? '').map((part) => ({
      type: 'text_delta',
      text: part,
    })),
    whole: { type: 'text', text },
  };
  return [
    ...(thinking === undefined ? [] : [thought]),
    ...(text === undefined ? [] : [said]),
    ...toolCalls.map(callBlock),
  ];
};

const MESSAGE = {
  id: 'msg_01',
  type: 'message',
  role: 'assistant',
  model: 'claude-scripted',
};

type Event = { readonly type: string; readonly [key: string]: unknown };

const blockEvents = (block: Block, index: number): readonly Event[] => [
  { type: 'content_block_start', index, content_block: block.start },
  ...block.deltas.map((delta) => ({
    type: 'content_block_delta',
    index,
    delta,
  })),
  { type: 'content_block_stop', index },
];

const firstEvents = (reply: AnthropicReply): readonly Event[] => [
  {
    type: 'message_start',
    message: {
      ...MESSAGE,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usageOf(reply), output_tokens: 1 },
    },
  },
  { type: 'ping' },
  ...blocksOf(reply).flatMap(blockEvents),
];

const lastEvents = (reply: AnthropicReply): readonly Event[] => {
  if (reply.stall) return [];
  if (reply.errorEvent !== undefined) {
    const error = { type: reply.errorEvent, message: reply.error ?? 'Oops' };
    return [{ type: 'error', error }];
  }
  if (stopOf(reply) === null) return [];
  const delta = {
    stop_reason: stopOf(reply),
    stop_sequence: null,
    stop_details: stopDetailsOf(reply),
  };
  return [
    { type: 'message_delta', delta, usage: usageOf(reply) },
    { type: 'message_stop' },
  ];
};

const toEventStream = (reply: AnthropicReply): string =>
  [...firstEvents(reply), ...lastEvents(reply)]
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

const toDocument = (reply: AnthropicReply): string =>
  JSON.stringify({
    ...MESSAGE,
    content: blocksOf(reply).map(({ whole }) => whole),
    stop_reason: stopOf(reply),
    stop_sequence: null,
    stop_details: stopDetailsOf(reply),
    usage: usageOf(reply),
  });

/** Replies as they go over the wire. */
export const anthropicForm: ReplyForm<AnthropicReply> = {
  contentType: 'text/event-stream; charset=utf-8',
  toStream: toEventStream,
  toDocument,
  toError: (message, { errorType = 'scripted_error' }) => ({
    type: 'error',
    error: { type: errorType, message },
    request_id: 'req_1',
  }),
};

/** Misbehaviours by name: each is a reply for a script. */
export const badAnthropicReplies = harden({
  unauthorized: {
    status: 401,
    errorType: 'authentication_error',
    error: 'invalid x-api-key',
  },
  forbidden: {
    status: 403,
    errorType: 'permission_error',
    error:
      'Your API key does not have permission to use the specified resource',
  },
  missingModel: {
    status: 404,
    errorType: 'not_found_error',
    error: 'model: claude-scripted',
  },
  noSuchPath: { status: 404, raw: 'Not Found' },
  tooMany: {
    status: 429,
    errorType: 'rate_limit_error',
    error: 'This request would exceed the rate limit of your organization',
    headers: { 'retry-after': '2' },
  },
  overloaded: {
    status: 529,
    errorType: 'overloaded_error',
    error: 'Overloaded',
    headers: { 'retry-after': '3' },
  },
  overflow: {
    status: 400,
    errorType: 'invalid_request_error',
    error: 'prompt is too long: 210534 tokens > 200000 maximum',
  },
  tooLarge: {
    status: 413,
    errorType: 'request_too_large',
    error: 'Request exceeds the maximum size',
  },
  noCredit: {
    status: 400,
    errorType: 'invalid_request_error',
    error:
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
  },
  serverError: {
    status: 500,
    errorType: 'api_error',
    error: 'Internal server error',
  },
  notJson: { raw: '<html><body>Welcome to the router</body></html>' },
  noMessage: { raw: '{"type":"message","role":"assistant"}' },
  brokenStream: {
    raw: 'event: message_start\ndata: {nonsense\n\n',
    headers: { 'content-type': 'text/event-stream' },
  },
  dropped: { text: 'this will not arrive in full', drop: true },
  noEnd: { text: 'this stream just ends', stopReason: null },
  cutOff: { text: 'this sentence was cut', cutOff: true },
  hugeUsage: {
    text: 'ok',
    usage: { input_tokens: 1e308, output_tokens: 1e308 },
  },
} satisfies Record<string, AnthropicReply>);
