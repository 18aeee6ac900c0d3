/** What a server of the OpenAI wire answers: replies and their form on the wire. */

import { halves } from './model-replies.ts';
import type { ModelReply, ReplyForm } from './model-replies.ts';

export type { ServerToolCall } from './model-replies.ts';

/** One answer. Without anything: an empty text. */
export type Reply = ModelReply & {
  /** As the reply ends: `stop`, `tool_calls` or `length`; null: it is not said. */
  readonly finishReason?: string | null;
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens: number };
  };
};

const toWireCalls = (reply: Reply) =>
  (reply.toolCalls ?? []).map(({ id, name, args = {} }, index) => ({
    index,
    id: id ?? `server-call-${index}`,
    type: 'function',
    function: {
      name,
      arguments: typeof args === 'string' ? args : JSON.stringify(args),
    },
  }));

const finishOf = (reply: Reply): string | null => {
  if (reply.stall) return null;
  if (reply.finishReason !== undefined) return reply.finishReason;
  if (reply.cutOff) return 'length';
  return reply.toolCalls?.length ? 'tool_calls' : 'stop';
};

const usageOf = (reply: Reply) =>
  reply.usage ?? { prompt_tokens: 20, completion_tokens: 7 };

/** The events of a stream, as a server that streams would send them. */
const toEvents = (reply: Reply): readonly unknown[] => {
  const delta = (part: unknown, finish: string | null = null) => ({
    id: 'chat-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: part, finish_reason: finish }],
  });
  return [
    delta({ role: 'assistant', content: '' }),
    ...halves(reply.thinking ?? '').map((text) =>
      delta({ reasoning_content: text }),
    ),
    ...halves(reply.text ?? '').map((content) => delta({ content })),
    ...toWireCalls(reply).flatMap(
      ({ index, id, type, function: { name, arguments: text } }) => [
        delta({
          tool_calls: [{ index, id, type, function: { name, arguments: '' } }],
        }),
        ...halves(text).map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ],
    ),
    ...(finishOf(reply) === null ? [] : [delta({}, finishOf(reply))]),
    {
      id: 'chat-1',
      object: 'chat.completion.chunk',
      choices: [],
      usage: usageOf(reply),
    },
  ];
};

const toEventStream = (reply: Reply): string =>
  [
    ...toEvents(reply).map((event) => JSON.stringify(event)),
    ...(reply.stall ? [] : ['[DONE]']),
  ]
    .map((data) => `data: ${data}\n\n`)
    .join('');

const toDocument = (reply: Reply): string => {
  const calls = toWireCalls(reply);
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.thinking === undefined
      ? {}
      : { reasoning_content: reply.thinking }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, finish_reason: finishOf(reply) }];
  return JSON.stringify({
    id: 'chat-1',
    object: 'chat.completion',
    choices,
    usage: usageOf(reply),
  });
};

/** Replies as they go over the wire. */
export const openAiForm: ReplyForm<Reply> = {
  contentType: 'text/event-stream',
  toStream: toEventStream,
  toDocument,
  toError: (message) => ({ error: { message, type: 'scripted' } }),
};

/** Misbehaviours by name: each is a reply for a script. */
export const badReplies = harden({
  unauthorized: { status: 401, error: 'Incorrect API key provided' },
  forbidden: { status: 403, error: 'This key may not use that model' },
  missingModel: { status: 404, error: 'The model `qwen3` does not exist' },
  noSuchPath: { status: 404, raw: 'Not Found' },
  tooMany: { status: 429, error: 'Slow down', headers: { 'retry-after': '2' } },
  overflow: {
    status: 400,
    error:
      "This model's maximum context length is 4096 tokens, you asked for 5000",
  },
  serverError: { status: 500, error: 'out of memory' },
  notJson: { raw: '<html><body>Welcome to the router</body></html>' },
  emptyChoices: { raw: '{"id":"x","choices":[]}' },
  noMessage: {
    raw: '{"id":"x","choices":[{"index":0,"finish_reason":"stop"}]}',
  },
  brokenStream: {
    raw: 'data: {nonsense\n\n',
    headers: { 'content-type': 'text/event-stream' },
  },
  hang: { hang: true },
  dropped: { text: 'this will not arrive in full', drop: true },
  noEnd: { text: 'this stream just ends', finishReason: null },
  cutOff: { text: 'this sentence was cut', cutOff: true },
  hugeUsage: {
    text: 'ok',
    usage: { prompt_tokens: 1e308, completion_tokens: 1e308 },
  },
} satisfies Record<string, Reply>);
