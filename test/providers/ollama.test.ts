import { describe, expect, it, onTestFinished } from 'vitest';

import { makeOllamaModel } from '../../providers/ollama.ts';
import type {
  ChatMessage,
  ChatRequest,
  ToolSchema,
} from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';
import { makeSecret } from '../../src/model/secret.ts';
import { toLines } from '../support/ollama-replies.ts';
import {
  badOllamaReplies,
  startOllamaServer,
} from '../support/ollama-server.ts';
import type { OllamaReply, OllamaScript } from '../support/ollama-server.ts';

const TOKEN = 'sk-never-print-me';

type Fetch = typeof globalThis.fetch;

const tool: ToolSchema = harden({
  type: 'function',
  function: {
    name: 'list',
    description: 'Lists names.',
    parameters: { type: 'object', properties: { path: { type: 'array' } } },
  },
});

const ask = (
  messages: readonly ChatMessage[] = [{ role: 'user', content: 'hello' }],
  signal = new AbortController().signal,
): ChatRequest => ({
  messages: harden([
    { role: 'system', content: 'You are Hob.' } as const,
    ...messages,
  ]),
  tools: harden([tool]),
  signal,
});

const modelAt = (
  host: string,
  {
    fetch = globalThis.fetch,
    token,
    maxTokens,
  }: {
    readonly fetch?: Fetch;
    readonly token?: string;
    readonly maxTokens?: number;
  } = {},
) =>
  makeOllamaModel({
    host,
    model: 'qwen3',
    ...(token === undefined ? {} : { authToken: makeSecret(token) }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    contextTokens: 8192,
    fetch,
  });

const serve = async (script: OllamaScript) => {
  const server = await startOllamaServer(script);
  onTestFinished(server.close);
  return { server, model: modelAt(server.url, { token: TOKEN }) };
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

describe('an Ollama', () => {
  it('is asked for a stream, with the context that was configured', async () => {
    const { server, model } = await serve([{ text: 'Hello, Ada.' }]);
    expect(await model.chat(ask())).toEqual({
      message: { role: 'assistant', content: 'Hello, Ada.', toolCalls: [] },
      stop: 'end',
      usage: { input: 20, cached: 0, output: 7 },
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.path).toBe('/api/chat');
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
    });
    expect(server.requests[0]?.body).toEqual({
      model: 'qwen3',
      messages: [
        { role: 'system', content: 'You are Hob.' },
        { role: 'user', content: 'hello' },
      ],
      tools: [tool],
      options: { num_ctx: 8192 },
      stream: true,
      truncate: false,
      shift: false,
    });
  });

  it('is told how long an answer may be only when that is set', async () => {
    const { server } = await serve([{ text: 'x' }]);
    await modelAt(server.url, { maxTokens: 99 }).chat(ask());
    expect(server.requests[0]?.body.options).toEqual({
      num_ctx: 8192,
      num_predict: 99,
    });
  });

  it.each(['', '/', '//'])(
    'is found at its address with %j at the end',
    async (end) => {
      const { server } = await serve([{ text: 'x' }]);
      await modelAt(`${server.url}${end}`).chat(ask());
      expect(server.requests[0]?.path).toBe('/api/chat');
    },
  );

  it('gets no key when none is set, also not one from the environment', async () => {
    const seen: (string | null)[] = [];
    const fetch: Fetch = (_url, init) => {
      seen.push(new Headers(init?.headers).get('authorization'));
      return Promise.resolve(new Response(toLines({ text: 'x' })));
    };
    process.env['OLLAMA_API_KEY'] = 'of-somebody-else';
    onTestFinished(() => {
      delete process.env['OLLAMA_API_KEY'];
    });
    await modelAt('https://ollama.com', { fetch }).chat(ask());
    await modelAt('https://ollama.com', { fetch, token: TOKEN }).chat(ask());
    expect(seen).toEqual([null, `Bearer ${TOKEN}`]);
  });

  it('calls tools, two at a time', async () => {
    const { model } = await serve([
      {
        text: 'I look.',
        toolCalls: [{ name: 'list', args: { path: ['é'] } }, { name: 'list' }],
      },
    ]);
    const { message, stop } = await model.chat(ask());
    expect(stop).toBe('tools');
    expect(message).toEqual({
      role: 'assistant',
      content: 'I look.',
      toolCalls: [
        { id: 'call_1', name: 'list', argumentsText: '{"path":["é"]}' },
        { id: 'call_2', name: 'list', argumentsText: '{}' },
      ],
    });
  });

  it('gives each call an id that no call of the conversation has', async () => {
    const { model } = await serve([
      { toolCalls: [{ name: 'list' }, { id: 'call_1', name: 'list' }] },
    ]);
    let messages: readonly ChatMessage[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { message } = await model.chat(ask(messages));
      messages = [...messages, message];
    }
    const ids = messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    );
    expect(ids).toHaveLength(10);
    expect(new Set(ids).size).toBe(10);
  });

  it('is sent a conversation of calls and results, also with broken arguments', async () => {
    const { server, model } = await serve([{ text: 'ok' }]);
    await model.chat(
      ask([
        {
          role: 'assistant',
          content: 'so',
          toolCalls: [
            { id: 'c1', name: 'send', argumentsText: '{"strings": ["hel' },
            { id: 'c2', name: 'list names', argumentsText: '{"a":1}' },
            { id: 'c3', name: 'has', argumentsText: '[1]' },
          ],
        },
        { role: 'tool', callId: 'c1', content: 'not JSON', isError: true },
        { role: 'tool', callId: 'c2', content: '["b"]', isError: false },
        { role: 'tool', callId: 'gone', content: 'who?', isError: false },
      ]),
    );
    expect(server.requests[0]?.body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [
          { id: 'c1', function: { name: 'send', arguments: {} } },
          { id: 'c2', function: { name: 'list_names', arguments: { a: 1 } } },
          { id: 'c3', function: { name: 'has', arguments: {} } },
        ],
      },
      {
        role: 'tool',
        tool_name: 'send',
        tool_call_id: 'c1',
        content: 'Error: not JSON',
      },
      {
        role: 'tool',
        tool_name: 'list_names',
        tool_call_id: 'c2',
        content: '["b"]',
      },
      { role: 'tool', tool_call_id: 'gone', content: 'who?' },
    ]);
  });

  it('does not say what it thought', async () => {
    const { model } = await serve([{ thinking: 'hm', text: 'Four.' }]);
    expect((await model.chat(ask())).message.content).toBe('Four.');
  });

  it.each([
    ['stop', 'end'],
    ['length', 'length'],
    ['something-new', 'end'],
  ])('stops for %s as %s', async (doneReason, stop) => {
    const { model } = await serve([{ text: 'x', doneReason }]);
    expect((await model.chat(ask())).stop).toBe(stop);
  });

  it('that answers in one document is understood', async () => {
    const raw = JSON.stringify({
      message: { role: 'assistant', content: 'whole' },
      done: true,
    });
    const { model } = await serve([{ raw }]);
    expect((await model.chat(ask())).message.content).toBe('whole');
  });

  it('that cut the conversation silently is not taken at its word', async () => {
    const { model } = await serve([
      { text: 'What was it?', usage: { prompt_eval_count: 8192 } },
    ]);
    const error = await rejection(model.chat(ask()));
    expect(error.kind).toBe('overflow');
    expect(error.remedy).toContain('LAL_CONTEXT_TOKENS');
  });

  it('answers two calls at once, and the end of one does not end the other', async () => {
    let answerSecond: (() => void) | undefined;
    const after = new Promise<void>((resolve) => {
      answerSecond = resolve;
    });
    const { server, model } = await serve((_request, index) =>
      index === 0 ? { text: 'first', stall: true } : { text: 'second', after },
    );
    const controller = new AbortController();
    const first = rejection(model.chat(ask([], controller.signal)));
    await server.nextRequest();
    const second = model.chat(ask());
    await server.nextRequest();
    controller.abort();
    expect((await first).kind).toBe('cancelled');
    answerSecond?.();
    expect((await second).message.content).toBe('second');
  });
});

describe('the lines of a stream', () => {
  const reply: OllamaReply = {
    thinking: 'hm',
    text: 'Ça va – 👋',
    toolCalls: [{ name: 'list', args: { path: ['é'] } }],
  };

  it('give the same answer wherever their bytes are split', async () => {
    const bytes = new TextEncoder().encode(toLines(reply));
    let at = 0;
    const fetch: Fetch = () =>
      Promise.resolve(
        new Response(
          ReadableStream.from(
            [bytes.slice(0, at), bytes.slice(at)].filter(
              (part) => part.length > 0,
            ),
          ),
        ),
      );
    const model = modelAt('http://ollama.test', { fetch });
    const whole = await model.chat(ask());
    expect(whole.message.content).toBe('Ça va – 👋');
    expect(whole.message.toolCalls).toHaveLength(1);
    for (at = 1; at < bytes.length; at += 7)
      expect(await model.chat(ask())).toEqual(whole);
  });

  it('give the same answer byte by byte from a server', async () => {
    const { model } = await serve([reply, { ...reply, pieceBytes: 1 }]);
    const whole = await model.chat(ask());
    expect(await model.chat(ask())).toEqual(whole);
  });

  it('may be empty, and the last needs no end', async () => {
    const fetch: Fetch = () =>
      Promise.resolve(
        new Response(`\n${toLines(reply).replaceAll('\n', '\n\n').trim()}`),
      );
    const model = modelAt('http://ollama.test', { fetch });
    expect((await model.chat(ask())).message.content).toBe('Ça va – 👋');
  });
});

type Failure = [what: string, reply: OllamaReply, kind: string, remedy: RegExp];

const failures: Failure[] = [
  ['a refused key', badOllamaReplies.unauthorized, 'auth', /LAL_AUTH_TOKEN/],
  [
    'a model that was not pulled',
    badOllamaReplies.missingModel,
    'missing-model',
    /ollama pull qwen3/,
  ],
  [
    'no Ollama at that address',
    badOllamaReplies.noSuchPath,
    'bad-request',
    /LAL_HOST.*without a path/,
  ],
  ['too many requests', badOllamaReplies.tooMany, 'rate-limit', /Wait/],
  [
    'a conversation that is too long',
    badOllamaReplies.overflow,
    'overflow',
    /8192.*LAL_CONTEXT_TOKENS/,
  ],
  [
    'the same in other words',
    badOllamaReplies.oldOverflow,
    'overflow',
    /LAL_CONTEXT_TOKENS/,
  ],
  [
    'a model that knows no tools',
    badOllamaReplies.noTools,
    'bad-request',
    /LAL_MODEL to a model that can use tools/,
  ],
  [
    'too little memory',
    badOllamaReplies.noMemory,
    'bad-request',
    /smaller model.*LAL_CONTEXT_TOKENS/,
  ],
  ['a broken server', badOllamaReplies.serverError, 'server', /log/],
  ['an error in the stream', badOllamaReplies.errorLine, 'server', /log/],
  ['no JSON', badOllamaReplies.notJson, 'bad-response', /LAL_HOST/],
  [
    'JSON that is no answer',
    badOllamaReplies.notAnObject,
    'bad-response',
    /LAL_HOST/,
  ],
  ['no message', badOllamaReplies.noMessage, 'bad-response', /LAL_HOST/],
  [
    'half a stream',
    badOllamaReplies.dropped,
    'network',
    /ollama serve.*LAL_HOST/,
  ],
  [
    'a stream without its last line',
    badOllamaReplies.noLastLine,
    'network',
    /ollama serve/,
  ],
];

describe('an Ollama that fails', () => {
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

  it('tells the status, its own words and when to come back', async () => {
    const { model } = await serve([badOllamaReplies.tooMany]);
    expect(await rejection(model.chat(ask()))).toMatchObject({
      status: 429,
      retryAfterMs: 2000,
      message: expect.stringContaining('too many requests') as string,
    });
  });

  it('by not running is reported with how to start it', async () => {
    const { server, model } = await serve([]);
    await server.close();
    const error = await rejection(model.chat(ask()));
    expect(error).toMatchObject({ kind: 'network', transient: true });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.remedy).toContain('ollama serve');
  });

  it('writes nothing to the console', async () => {
    const lines: unknown[] = [];
    const { log, warn, error } = console;
    onTestFinished(() => {
      Object.assign(console, { log, warn, error });
    });
    const note = (...args: readonly unknown[]) => lines.push(args);
    Object.assign(console, { log: note, warn: note, error: note });
    const { model } = await serve(failures.map(([, reply]) => reply));
    for (let count = 0; count < failures.length; count += 1)
      await rejection(model.chat(ask()));
    expect(lines).toEqual([]);
  });
});

describe('an abort of a call to an Ollama', () => {
  it('before it answers ends it, and the server sees the socket close', async () => {
    const { server, model } = await serve([{ hang: true }]);
    const controller = new AbortController();
    const failed = rejection(model.chat(ask([], controller.signal)));
    const { closed } = await server.nextRequest();
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('in the middle of its stream ends it as well', async () => {
    const { server } = await serve([{ text: 'Once upon', stall: true }]);
    const controller = new AbortController();
    const fetch: Fetch = async (...args) => {
      const response = await globalThis.fetch(...args);
      setImmediate(() => controller.abort());
      return response;
    };
    const model = modelAt(server.url, { fetch });
    const failed = rejection(model.chat(ask([], controller.signal)));
    const { closed } = await server.nextRequest();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('before it begins sends nothing', async () => {
    const { server, model } = await serve([{ text: 'x' }]);
    const error = await rejection(model.chat(ask([], AbortSignal.abort())));
    expect(error.kind).toBe('cancelled');
    expect(server.requests).toEqual([]);
  });
});

describe('the key of an Ollama', () => {
  const everything = (error: ModelError): string =>
    [
      error.message,
      error.remedy,
      error.stack,
      JSON.stringify(error),
      String(error.cause),
    ].join('\n');

  it('is in no error, also when the server repeats it', async () => {
    const replies: OllamaReply[] = [
      ...failures.map(([, reply]) => reply),
      { status: 401, error: `bad key ${TOKEN}` },
      { status: 500, raw: `oops ${TOKEN}` },
      { raw: `oops ${TOKEN}` },
      { errorLine: TOKEN },
    ];
    const { model } = await serve(replies);
    for (const reply of replies) {
      const error = await rejection(model.chat(ask()));
      expect(everything(error), JSON.stringify(reply)).not.toContain(TOKEN);
    }
  });

  it('is in no error when it cannot be sent, or stands in the URL', async () => {
    const { server } = await serve([badOllamaReplies.serverError]);
    for (const model of [
      modelAt(server.url, { token: `${TOKEN}\u2028é` }),
      modelAt(server.url.replace('//', `//user:${TOKEN}@`)),
    ]) {
      const error = await rejection(model.chat(ask()));
      expect(everything(error)).not.toContain(TOKEN);
    }
  });
});
