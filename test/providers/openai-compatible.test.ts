import { describe, expect, it, onTestFinished } from 'vitest';

import { createModel } from '../../providers/index.ts';
import { makeOpenAiCompatibleModel } from '../../providers/openai-compatible.ts';
import { parseConfig } from '../../src/config.ts';
import type {
  ChatMessage,
  ChatRequest,
  ToolSchema,
} from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';
import { withRetry } from '../../src/model/retry.ts';
import { makeSecret } from '../../src/model/secret.ts';
import { toEventStream } from '../support/openai-replies.ts';
import { badReplies, startOpenAiServer } from '../support/openai-server.ts';
import type { Reply, Script } from '../support/openai-server.ts';

const TOKEN = 'sk-never-print-me';

const tool: ToolSchema = {
  type: 'function',
  function: {
    name: 'list',
    description: 'Lists names.',
    parameters: {
      type: 'object',
      properties: { petNamePath: { type: 'array' } },
    },
  },
};

const ask = (
  content = 'hello',
  signal = new AbortController().signal,
): ChatRequest => ({
  messages: [
    { role: 'system', content: 'You are Hob.' },
    { role: 'user', content },
  ],
  tools: [tool],
  signal,
});

type Fetch = typeof globalThis.fetch;

const modelAt = (
  baseURL: string,
  fetch: Fetch = globalThis.fetch,
  token?: string,
) =>
  makeOpenAiCompatibleModel({
    baseURL,
    model: 'qwen3',
    ...(token === undefined ? {} : { authToken: makeSecret(token) }),
    maxTokens: 512,
    timeoutMs: 30_000,
    fetch,
  });

const serve = async (script: Script) => {
  const server = await startOpenAiServer(script);
  onTestFinished(server.close);
  return { server, model: modelAt(server.url, globalThis.fetch, TOKEN) };
};

const rejection = async (call: Promise<unknown>): Promise<ModelError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError))
    throw Error(`not a ModelError: ${String(error)}`);
  return error;
};

describe('an OpenAI-compatible model', () => {
  it('answers in prose, with its usage', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 64 },
    };
    const { server, model } = await serve([
      { text: 'Hello, Ada – ça va? 👋', usage },
    ]);
    expect(await model.chat(ask())).toEqual({
      message: {
        role: 'assistant',
        content: 'Hello, Ada – ça va? 👋',
        toolCalls: [],
      },
      stop: 'end',
      usage: { input: 100, cached: 64, output: 9 },
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: {
        model: 'qwen3',
        max_tokens: 512,
        stream: true,
        stream_options: { include_usage: true },
        tools: [{ type: 'function', function: { name: 'list' } }],
      },
    });
  });

  it('sends no authorization when there is no token', async () => {
    const { server } = await serve([{ text: 'hi' }]);
    await modelAt(`${server.url}/`).chat(ask());
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
  });

  it.each([{ plain: false }, { plain: true }])(
    'calls tools ($plain: without a stream)',
    async ({ plain }) => {
      const toolCalls = [
        { id: 'a', name: 'list', args: { petNamePath: ['x'] } },
        { id: 'b', name: 'list' },
      ];
      const { model } = await serve([{ text: 'I look.', toolCalls, plain }]);
      const { message, stop } = await model.chat(ask());
      expect(stop).toBe('tools');
      expect(message).toEqual({
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 'a', name: 'list', argumentsText: '{"petNamePath":["x"]}' },
          { id: 'b', name: 'list', argumentsText: '{}' },
        ],
      });
    },
  );

  it('takes a stream that comes under the wrong content type', async () => {
    const { model } = await serve([
      { raw: toEventStream({ text: 'still heard' }) },
    ]);
    expect((await model.chat(ask())).message.content).toBe('still heard');
  });

  it('does not say what was reasoned', async () => {
    const { model } = await serve([
      { reasoning: 'secret thoughts', text: 'Four.' },
    ]);
    expect((await model.chat(ask())).message.content).toBe('Four.');
  });

  it.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['content_filter', 'refusal'],
    ['something-new', 'end'],
  ])('stops for %s as %s', async (finishReason, stop) => {
    const { model } = await serve([{ text: 'x', finishReason }]);
    expect((await model.chat(ask())).stop).toBe(stop);
  });

  it('gives a call an id of its own when the server gives none, or one twice', async () => {
    const toolCalls = ['', 'same', 'same', 'before'].map((id) => ({
      id,
      name: 'list',
    }));
    const { model } = await serve([{ toolCalls }]);
    const earlier: ChatMessage[] = [
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'before', name: 'list', argumentsText: '{}' }],
      },
      { role: 'tool', callId: 'before', content: '[]', isError: false },
    ];
    const request = ask();
    const { message } = await model.chat({
      ...request,
      messages: [...request.messages, ...earlier],
    });
    const ids = message.toolCalls.map(({ id }) => id);
    expect(new Set([...ids, 'before']).size).toBe(5);
    expect(ids).not.toContain('');
  });

  it('puts a conversation on the wire, also one with arguments that are not JSON', async () => {
    const { server, model } = await serve([{ text: 'ok' }]);
    const bad = { id: 'c1', name: 'send', argumentsText: '{"strings": ["hel' };
    const good = { id: 'c2', name: 'list', argumentsText: '{"a":1}' };
    const messages: ChatMessage[] = [
      ...ask().messages,
      { role: 'assistant', content: 'so', toolCalls: [bad, good] },
      { role: 'tool', callId: 'c1', content: 'not JSON', isError: true },
      { role: 'tool', callId: 'c2', content: '["b"]', isError: false },
    ];
    await model.chat({ ...ask(), messages });
    expect(server.requests[0]?.body.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'send', arguments: '{}' },
          },
          {
            id: 'c2',
            type: 'function',
            function: { name: 'list', arguments: '{"a":1}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'Error: not JSON' },
      { role: 'tool', tool_call_id: 'c2', content: '["b"]' },
    ]);
  });

  it('writes max_completion_tokens, from then on, for a server that asks for it', async () => {
    const error =
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    const { server, model } = await serve(({ body }) =>
      'max_tokens' in body ? { status: 400, error } : { text: 'ok' },
    );
    await model.chat(ask());
    await model.chat(ask());
    expect(
      server.requests.map(({ body }) => body['max_completion_tokens']),
    ).toEqual([undefined, 512, 512]);
  });

  it('learns that also from two calls that were refused at once', async () => {
    const error =
      "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";
    let refuse: (() => void) | undefined;
    const after = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    const { server, model } = await serve(({ body }) =>
      'max_tokens' in body ? { status: 400, error, after } : { text: 'ok' },
    );
    const both = Promise.all([model.chat(ask()), model.chat(ask())]);
    await server.nextRequest();
    await server.nextRequest();
    refuse?.();
    expect((await both).map(({ message }) => message.content)).toEqual([
      'ok',
      'ok',
    ]);
    expect(server.requests).toHaveLength(4);
  });

  it('puts only names on the wire that a function may have, and no empty text', async () => {
    const { server, model } = await serve([{ text: 'ok' }]);
    const called = ['functions.store value', '', 'x'.repeat(80)];
    await model.chat({
      ...ask(),
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: '', toolCalls: [] },
        {
          role: 'assistant',
          content: '',
          toolCalls: called.map((name, index) => ({
            id: `c${index}`,
            name,
            argumentsText: '{}',
          })),
        },
      ],
    });
    const [, silent, calling] = server.requests[0]?.body.messages ?? [];
    expect(silent?.content).toMatch(/\S/);
    expect(calling?.tool_calls).toHaveLength(called.length);
    for (const { function: wire } of calling?.tool_calls ?? []) {
      expect(wire.name).toMatch(/^[\w-]{1,64}$/);
    }
  });

  it('takes a usage that no tokens can have for a very large one', async () => {
    const { model } = await serve([
      {
        text: 'ok',
        usage: { prompt_tokens: 1e308, completion_tokens: 1e308 },
      },
    ]);
    const { usage } = await model.chat(ask());
    expect(usage.input + usage.output).toBeGreaterThan(1e6);
    expect(Number.isSafeInteger(usage.input + usage.output)).toBe(true);
  });
});

describe('a stream', () => {
  const reply: Reply = {
    reasoning: 'hm',
    text: 'Ça va – 👋',
    toolCalls: [
      { id: 'a', name: 'list', args: { petNamePath: ['é'] } },
      { id: 'b', name: 'has', args: {} },
    ],
  };

  it('gives the same answer wherever its bytes are split', async () => {
    const bytes = new TextEncoder().encode(toEventStream(reply));
    let at = 0;
    const fetch: Fetch = () => {
      const parts = [bytes.slice(0, at), bytes.slice(at)].filter(
        (part) => part.length > 0,
      );
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          const part = parts.shift();
          if (part) controller.enqueue(part);
          else controller.close();
        },
      });
      return Promise.resolve(
        new Response(body, {
          headers: { 'content-type': 'text/event-stream' },
        }),
      );
    };
    const model = modelAt('http://127.0.0.1:1/v1', fetch);
    const whole = await model.chat(ask());
    expect(whole.message.toolCalls).toHaveLength(2);
    expect(whole.message.content).toBe('Ça va – 👋');
    for (at = 1; at < bytes.length; at += 1)
      expect(await model.chat(ask())).toEqual(whole);
  });

  it('gives the same answer byte by byte from a server', async () => {
    const { model } = await serve([reply, { ...reply, pieceBytes: 1 }]);
    const whole = await model.chat(ask());
    expect(await model.chat(ask())).toEqual(whole);
  });

  it.each([
    ['all calls numbered 0', [0, 0]],
    ['no numbers at all', [undefined, undefined]],
  ])('tells calls apart by id, with %s', async (_what, indexes) => {
    const deltas = indexes.map((index, place) => ({
      tool_calls: [
        {
          index,
          id: `id${place}`,
          function: { name: 'list', arguments: `{"n":${place}}` },
        },
      ],
    }));
    const events = deltas.map((delta) => ({ choices: [{ delta }] }));
    const raw = [
      ...events,
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join('');
    const { model } = await serve([
      { raw, headers: { 'content-type': 'text/event-stream' } },
    ]);
    const { message } = await model.chat(ask());
    expect(message.toolCalls.map(({ argumentsText }) => argumentsText)).toEqual(
      ['{"n":0}', '{"n":1}'],
    );
  });

  it('fails as an error when it breaks off, so that it is tried again', async () => {
    const { model } = await serve([
      badReplies.dropped,
      { text: 'x', finishReason: null },
    ]);
    expect((await rejection(model.chat(ask()))).kind).toBe('network');
    expect((await rejection(model.chat(ask()))).kind).toBe('network');
  });

  it('fails as the error that the server sends in it', async () => {
    const headers = { 'content-type': 'text/event-stream' };
    const slow = 'data: {"error":{"message":"slow down","code":429}}\n\n';
    const { model } = await serve([
      { raw: slow, headers },
      { raw: 'data: {nonsense\n\n', headers },
    ]);
    expect(await rejection(model.chat(ask()))).toMatchObject({
      kind: 'rate-limit',
    });
    expect(await rejection(model.chat(ask()))).toMatchObject({
      kind: 'bad-response',
    });
  });
});

type Failure = [what: string, reply: Reply, kind: string, remedy: RegExp];

const failures: Failure[] = [
  [
    'a token that is refused',
    badReplies.unauthorized,
    'auth',
    /LAL_AUTH_TOKEN/,
  ],
  [
    'a model that is not allowed',
    badReplies.forbidden,
    'auth',
    /LAL_AUTH_TOKEN/,
  ],
  [
    'no credit',
    { status: 429, error: 'You exceeded your current quota' },
    'auth',
    /credit/,
  ],
  [
    'a model that is not there',
    badReplies.missingModel,
    'missing-model',
    /LAL_MODEL/,
  ],
  [
    'a model that Ollama has not pulled',
    { status: 404, error: 'model "qwen3" not found, try: ollama pull' },
    'missing-model',
    /ollama pull qwen3/,
  ],
  [
    'a path that is not there',
    badReplies.noSuchPath,
    'bad-request',
    /LAL_HOST.*\/v1/,
  ],
  ['too many requests', badReplies.tooMany, 'rate-limit', /Wait/],
  [
    'a conversation that is too long',
    badReplies.overflow,
    'overflow',
    /larger context/,
  ],
  [
    'the same from llama.cpp',
    {
      status: 400,
      error:
        'the request exceeds the available context size, try increasing it',
    },
    'overflow',
    /larger context/,
  ],
  ['a bad request', { status: 422, error: 'no' }, 'bad-request', /LAL_HOST/],
  ['a broken server', badReplies.serverError, 'server', /log/],
  [
    'an answer that is not JSON',
    badReplies.notJson,
    'bad-response',
    /LAL_HOST/,
  ],
  [
    'an answer without choices',
    badReplies.emptyChoices,
    'bad-response',
    /LAL_HOST/,
  ],
  [
    'a choice without a message',
    badReplies.noMessage,
    'bad-response',
    /LAL_HOST/,
  ],
  ['JSON that is no answer', { raw: 'null' }, 'bad-response', /LAL_HOST/],
  [
    'an error with status 200',
    { raw: '{"error":{"message":"x","code":503}}' },
    'server',
    /log/,
  ],
  ['an empty document', { raw: '' }, 'bad-response', /LAL_HOST/],
];

describe('a server that fails', () => {
  it.each(failures)(
    'with %s is reported with a remedy',
    async (_what, reply, kind, remedy) => {
      const { server, model } = await serve([reply]);
      const error = await rejection(model.chat(ask()));
      expect(error.kind).toBe(kind);
      expect(error.remedy).toMatch(remedy);
      expect(server.requests).toHaveLength(1);
    },
  );

  it('tells what status it gave and what it said, in short', async () => {
    const { model } = await serve([
      { status: 500, error: `boom\n${'x'.repeat(5000)}` },
    ]);
    const error = await rejection(model.chat(ask()));
    expect(error.status).toBe(500);
    expect(error.message).toContain('answered 500 when asked for qwen3');
    expect(error.message).toContain('boom');
    expect(error.message.length).toBeLessThan(500);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    [
      'a date',
      {
        'retry-after': 'Wed, 01 Jan 2025 00:00:09 GMT',
        date: 'Wed, 01 Jan 2025 00:00:00 GMT',
      },
      9000,
    ],
    ['milliseconds', { 'retry-after-ms': '250' }, 250],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('says when to come back, in %s', async (_what, headers, retryAfterMs) => {
    const { model } = await serve([{ status: 429, headers }]);
    expect(await rejection(model.chat(ask()))).toMatchObject({
      kind: 'rate-limit',
      retryAfterMs,
    });
  });

  it('is asked again when it asks for that, through withRetry', async () => {
    const { server, model } = await serve([
      badReplies.tooMany,
      { text: 'now' },
    ]);
    const waits: number[] = [];
    const wait = (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    };
    const patient = withRetry(model, { wait, random: () => 0, maxAttempts: 3 });
    expect((await patient.chat(ask())).message.content).toBe('now');
    expect(waits).toEqual([2000]);
    expect(server.requests).toHaveLength(2);
  });

  it('by refusing the connection is reported with LAL_HOST', async () => {
    const { server, model } = await serve([]);
    await server.close();
    const error = await rejection(model.chat(ask()));
    expect(error).toMatchObject({ kind: 'network', transient: true });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.remedy).toContain('LAL_HOST');
  });

  it('by not answering in time is reported with LAL_MODEL_TIMEOUT_MS', async () => {
    const { server } = await serve([badReplies.hang]);
    const model = makeOpenAiCompatibleModel({
      baseURL: server.url,
      model: 'qwen3',
      maxTokens: 5,
      timeoutMs: 50,
      fetch: globalThis.fetch,
    });
    const error = await rejection(model.chat(ask()));
    expect(error.kind).toBe('timeout');
    expect(error.remedy).toContain('LAL_MODEL_TIMEOUT_MS');
  });
});

describe('an abort', () => {
  it('ends a call at once, and the server sees the socket close', async () => {
    const { server, model } = await serve([badReplies.hang]);
    const controller = new AbortController();
    const failed = rejection(model.chat(ask('hello', controller.signal)));
    const { closed } = await server.nextRequest();
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('ends a call in the middle of its stream', async () => {
    const first = `data: ${JSON.stringify({ choices: [{ delta: { content: 'x' } }] })}\n\n`;
    const controller = new AbortController();
    let reading: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => (reading = resolve));
    const fetch: Fetch = (_url, init) => {
      const body = new ReadableStream<Uint8Array>({
        start: (stream) => {
          stream.enqueue(new TextEncoder().encode(first));
          const fail = () =>
            stream.error(new DOMException('aborted', 'AbortError'));
          init?.signal?.addEventListener('abort', fail);
        },
        pull: () => reading(),
      });
      return Promise.resolve(
        new Response(body, {
          headers: { 'content-type': 'text/event-stream' },
        }),
      );
    };
    const failed = rejection(
      modelAt('http://127.0.0.1:1/v1', fetch).chat(ask('x', controller.signal)),
    );
    await isRead;
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
  });

  it('before the call sends nothing', async () => {
    const { server, model } = await serve([{ text: 'x' }]);
    const error = await rejection(
      model.chat(ask('hello', AbortSignal.abort())),
    );
    expect(error.kind).toBe('cancelled');
    expect(server.requests).toEqual([]);
  });
});

describe('the token', () => {
  const everything = (error: ModelError): string =>
    [
      error.message,
      error.remedy,
      error.stack,
      JSON.stringify(error),
      String(error.cause),
    ].join('\n');

  it('is in no error, also when the server repeats it', async () => {
    const replies: Reply[] = [
      ...failures.map(([, reply]) => reply),
      { status: 401, error: `Incorrect API key provided: ${TOKEN}` },
      { status: 500, raw: `oops ${TOKEN}` },
      { raw: `oops ${TOKEN}` },
      { raw: JSON.stringify({ error: { message: TOKEN } }) },
      badReplies.dropped,
    ];
    const { model } = await serve(replies);
    for (const reply of replies) {
      const error = await rejection(model.chat(ask()));
      expect(everything(error), JSON.stringify(reply)).not.toContain(TOKEN);
    }
  });

  it('is in no error when it cannot be sent at all', async () => {
    const { server } = await serve([{ text: 'x' }]);
    const model = modelAt(server.url, globalThis.fetch, `${TOKEN}\u2028é`);
    const error = await rejection(model.chat(ask()));
    expect(everything(error)).not.toContain(TOKEN);
  });

  it('is in no error when it was set with white space around it', async () => {
    const error = `bad key ${TOKEN} given`;
    const { server } = await serve([{ status: 401, error }]);
    const config = parseConfig({
      LAL_HOST: server.url,
      LAL_AUTH_TOKEN: ` ${TOKEN}\r\n`,
    });
    const { fetch } = globalThis;
    const model = await createModel(config.model, { fetch });
    const failure = await rejection(model.chat(ask()));
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
    });
    expect(failure.message).toContain('bad key');
    expect(everything(failure)).not.toContain(TOKEN);
  });

  it('is not in what is shown of a host', async () => {
    const { server } = await serve([badReplies.serverError]);
    const model = modelAt(server.url.replace('//', `//user:${TOKEN}@`));
    expect(everything(await rejection(model.chat(ask())))).not.toContain(TOKEN);
  });
});

describe('createModel', () => {
  const config = {
    model: 'qwen3',
    maxTokens: 10,
    contextTokens: 1000,
    timeoutMs: 1000,
  };

  it('loads the provider that is configured', async () => {
    const server = await startOpenAiServer([{ text: 'hi' }]);
    onTestFinished(server.close);
    const { fetch } = globalThis;
    const model = await createModel(
      { ...config, provider: 'openai', host: server.url },
      { fetch },
    );
    expect((await model.chat(ask())).message.content).toBe('hi');
  });
});
