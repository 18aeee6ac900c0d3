/** What a server of the OpenAI wire answers: replies and their form on the wire. */

export type ServerToolCall = {
  readonly id?: string;
  readonly name: string;
  /** A record, or a text that is sent as it is. */
  readonly args?: unknown;
};

/** One answer. Without anything: an empty text. */
export type Reply = {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ServerToolCall[];
  /** `stop`, or `tool_calls` when there are some. */
  readonly finishReason?: string | null;
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details?: { readonly cached_tokens: number };
  };
  /** Other than 200: an error with `error` as its message. */
  readonly status?: number;
  readonly error?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it is, instead of an answer. */
  readonly raw?: string;
  /** Answers in one JSON document although a stream was asked for. */
  readonly plain?: boolean;
  /** Never answers. */
  readonly hang?: boolean;
  /** Sends all but how it ends, and then nothing more. */
  readonly stall?: boolean;
  /** Sends the first half of the stream and drops the connection. */
  readonly drop?: boolean;
  /** Cuts the stream into pieces of so many bytes; whole events otherwise. */
  readonly pieceBytes?: number;
  /** Answers when this is resolved. */
  readonly after?: Promise<unknown>;
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
  return reply.toolCalls?.length ? 'tool_calls' : 'stop';
};

const usageOf = (reply: Reply) =>
  reply.usage ?? { prompt_tokens: 20, completion_tokens: 7 };

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter(
    (part) => part !== '',
  );
};

/** The events of a stream, as a server that streams would send them. */
const toEvents = (reply: Reply): readonly unknown[] => {
  const delta = (part: unknown, finish: string | null = null) => ({
    id: 'chat-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: part, finish_reason: finish }],
  });
  return [
    delta({ role: 'assistant', content: '' }),
    ...halves(reply.reasoning ?? '').map((text) =>
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

/** The stream of a reply, as it goes over the wire. */
export const toEventStream = (reply: Reply): string =>
  [
    ...toEvents(reply).map((event) => JSON.stringify(event)),
    ...(reply.stall ? [] : ['[DONE]']),
  ]
    .map((data) => `data: ${data}\n\n`)
    .join('');

/** The same in one document. */
export const toDocument = (reply: Reply): string => {
  const calls = toWireCalls(reply);
  const message = {
    role: 'assistant',
    content: reply.text ?? null,
    ...(reply.reasoning === undefined
      ? {}
      : { reasoning_content: reply.reasoning }),
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
  hang: { hang: true },
  dropped: { text: 'this will not arrive in full', drop: true },
  cutOff: { text: 'this sentence was cut', finishReason: 'length' },
} satisfies Record<string, Reply>);
