/**
 * A loopback server of the OpenAI wire that answers from a script, well or
 * badly: for the real SDK, also from a real worker process.
 */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

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
  /** Sends the first half of the stream and drops the connection. */
  readonly drop?: boolean;
  /** Cuts the stream into pieces of so many bytes; whole events otherwise. */
  readonly pieceBytes?: number;
  /** Answers when this is resolved. */
  readonly after?: Promise<unknown>;
};

/** The body of a request, as far as tests look at it. */
export type RequestBody = {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | null;
    readonly tool_call_id?: string;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { readonly name: string; readonly arguments: string };
    }[];
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly [key: string]: unknown;
};

export type ServerRequest = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: RequestBody;
  /** Resolves when the exchange is over; false: the client went before it was. */
  readonly closed: Promise<boolean>;
};

/** Replies in order, the last one for all that follow; or a reply per request. */
export type Script =
  readonly Reply[] | ((request: ServerRequest, index: number) => Reply);

export type OpenAiServer = {
  /** The base URL, with `/v1`: for LAL_HOST. */
  readonly url: string;
  readonly requests: readonly ServerRequest[];
  /** Resolves with the next request that was not taken yet. */
  readonly nextRequest: () => Promise<ServerRequest>;
  readonly close: () => Promise<void>;
};

const readBody = async (incoming: IncomingMessage): Promise<RequestBody> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return JSON.parse(text === '' ? '{}' : text) as RequestBody;
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
  [...toEvents(reply).map((event) => JSON.stringify(event)), '[DONE]']
    .map((data) => `data: ${data}\n\n`)
    .join('');

const toDocument = (reply: Reply): string => {
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

/** Writes one piece and waits until it has left, so that pieces stay pieces. */
const writePiece = (
  outgoing: ServerResponse,
  piece: Uint8Array,
): Promise<void> =>
  new Promise((resolve) => {
    outgoing.write(piece, () => setImmediate(resolve));
  });

const sendStream = async (
  outgoing: ServerResponse,
  reply: Reply,
): Promise<void> => {
  const bytes = Buffer.from(toEventStream(reply), 'utf8');
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    ...reply.headers,
  });
  if (reply.drop) {
    await writePiece(outgoing, bytes.subarray(0, bytes.length / 2));
    outgoing.destroy();
    return;
  }
  const size = reply.pieceBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    await writePiece(outgoing, bytes.subarray(at, at + size));
  }
  outgoing.end();
};

const sendReply = async (
  outgoing: ServerResponse,
  reply: Reply,
  body: RequestBody,
): Promise<void> => {
  await reply.after;
  if (reply.hang) return;
  const status = reply.status ?? 200;
  const json = { 'content-type': 'application/json', ...reply.headers };
  if (reply.raw !== undefined) {
    outgoing.writeHead(status, json).end(reply.raw);
  } else if (status !== 200) {
    const error = {
      message: reply.error ?? `scripted ${status}`,
      type: 'scripted',
    };
    outgoing.writeHead(status, json).end(JSON.stringify({ error }));
  } else if (reply.plain || body.stream !== true) {
    outgoing.writeHead(200, json).end(toDocument(reply));
  } else {
    await sendStream(outgoing, reply);
  }
};

const makeQueue = <T>() => {
  const waiting: T[] = [];
  const takers: ((item: T) => void)[] = [];
  return {
    put: (item: T) => {
      const taker = takers.shift();
      if (taker) taker(item);
      else waiting.push(item);
    },
    take: (): Promise<T> => {
      if (waiting.length > 0) return Promise.resolve(waiting.shift() as T);
      return new Promise((resolve) => takers.push(resolve));
    },
  };
};

export const startOpenAiServer = async (
  script: Script,
): Promise<OpenAiServer> => {
  const requests: ServerRequest[] = [];
  const arrivals = makeQueue<ServerRequest>();
  const replyTo = (request: ServerRequest, index: number): Reply => {
    if (typeof script === 'function') return script(request, index);
    return script[Math.min(index, script.length - 1)] ?? {};
  };

  const serve = async (
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    const closed = new Promise<boolean>((resolve) => {
      outgoing.once('close', () => resolve(outgoing.writableFinished));
    });
    const body = await readBody(incoming);
    const request = {
      path: incoming.url ?? '',
      headers: incoming.headers,
      body,
      closed,
    };
    requests.push(request);
    arrivals.put(request);
    await sendReply(outgoing, replyTo(request, requests.length - 1), body);
  };

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      // A script that throws shows up in the client as this server's words.
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    nextRequest: arrivals.take,
    close: () =>
      new Promise((resolve, reject) => {
        if (!server.listening) return resolve();
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
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
