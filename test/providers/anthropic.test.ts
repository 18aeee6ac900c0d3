import { describe, expect, it } from 'vitest';

import { createModel } from '../../providers/index.ts';
import { parseConfig } from '../../src/config.ts';
import type { ChatMessage } from '../../src/model/chat.ts';
import {
  ask,
  modelAt,
  rejection,
  serve,
  TOKEN,
} from '../support/anthropic-model.ts';
import { toEventStream } from '../support/anthropic-replies.ts';
import { badAnthropicReplies } from '../support/anthropic-server.ts';
import type { AnthropicReply } from '../support/anthropic-server.ts';

type Fetch = typeof globalThis.fetch;

const SSE = { 'content-type': 'text/event-stream' };

describe('a model of the Anthropic wire', () => {
  it('answers in prose, with its usage', async () => {
    const usage = {
      input_tokens: 30,
      cache_creation_input_tokens: 6,
      cache_read_input_tokens: 64,
      output_tokens: 9,
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
    expect(server.requests[0]?.body).toMatchObject({
      model: 'claude-scripted',
      max_tokens: 512,
      stream: true,
    });
  });

  it.each(['', '/', '/v1', '/v1/', '/v1/messages'])(
    'finds its server with %j at the end of LAL_HOST',
    async (end) => {
      const { server } = await serve([{ text: 'hi' }]);
      await modelAt(`${server.url}${end}`).chat(ask());
      expect(server.requests[0]?.path).toBe('/v1/messages');
    },
  );

  it('finds a server that has a path', async () => {
    const { server } = await serve([{ text: 'hi' }]);
    await modelAt(`${server.url}/gateway/anthropic/v1`).chat(ask());
    expect(server.requests[0]?.path).toBe('/gateway/anthropic/v1/messages');
  });

  it.each([{ plain: false }, { plain: true }])(
    'calls tools ($plain: without a stream)',
    async ({ plain }) => {
      const toolCalls = [
        { id: 'toolu_a', name: 'list', args: { petNamePath: ['x'] } },
        { id: 'toolu_b', name: 'list' },
      ];
      const { model } = await serve([{ text: 'I look.', toolCalls, plain }]);
      const { message, stop } = await model.chat(ask());
      expect(stop).toBe('tools');
      expect(message).toEqual({
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          {
            id: 'toolu_a',
            name: 'list',
            argumentsText: '{"petNamePath":["x"]}',
          },
          { id: 'toolu_b', name: 'list', argumentsText: '{}' },
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

  it.each([{ plain: false }, { plain: true }])(
    'does not say what was thought ($plain: without a stream)',
    async ({ plain }) => {
      const { model } = await serve([
        { thinking: 'secret thoughts', text: 'Four.', plain },
      ]);
      expect((await model.chat(ask())).message.content).toBe('Four.');
    },
  );

  it.each([
    ['end_turn', 'end'],
    ['stop_sequence', 'end'],
    ['max_tokens', 'length'],
    ['pause_turn', 'length'],
    ['refusal', 'refusal'],
    ['something-new', 'end'],
  ])('stops for %s as %s', async (stopReason, stop) => {
    const { model } = await serve([{ text: 'x', stopReason }]);
    expect((await model.chat(ask())).stop).toBe(stop);
  });

  it('says why it refused when it said nothing else', async () => {
    const explanation = 'This asks for what is not allowed.';
    const { model } = await serve([{ stopReason: 'refusal', explanation }]);
    const { message, stop } = await model.chat(ask());
    expect(stop).toBe('refusal');
    expect(message.content).toBe(explanation);
  });

  it('reports a context that was full before the answer was whole as an overflow', async () => {
    const { model } = await serve([
      { text: 'and then', stopReason: 'model_context_window_exceeded' },
    ]);
    const error = await rejection(model.chat(ask()));
    expect(error.kind).toBe('overflow');
    expect(error.remedy).toContain('LAL_MODEL');
  });

  it('gives a call an id of its own when the server gives none, or one twice', async () => {
    const toolCalls = ['', 'same', 'same', 'before'].map((id) => ({
      id,
      name: 'list',
    }));
    const { model } = await serve([{ toolCalls }]);
    const earlier: ChatMessage[] = [
      { role: 'user', content: 'look' },
      {
        role: 'assistant',
        content: '',
        toolCalls: [{ id: 'before', name: 'list', argumentsText: '{}' }],
      },
      { role: 'tool', callId: 'before', content: '[]', isError: false },
    ];
    const { message } = await model.chat(ask(earlier));
    const ids = message.toolCalls.map(({ id }) => id);
    expect(new Set([...ids, 'before']).size).toBe(5);
    expect(ids).not.toContain('');
  });

  it('takes a usage that no tokens can have for a very large one', async () => {
    const { model } = await serve([
      { text: 'ok', usage: { input_tokens: 1e308, output_tokens: 1e308 } },
    ]);
    const { usage } = await model.chat(ask());
    expect(usage.input + usage.output).toBeGreaterThan(1e6);
    expect(Number.isSafeInteger(usage.input + usage.output)).toBe(true);
  });

  it('keeps the usage of the beginning where the end does not repeat it', async () => {
    const usage = { input_tokens: null, cache_read_input_tokens: null };
    const start = toEventStream({
      text: 'ok',
      usage: { input_tokens: 5, cache_read_input_tokens: 3 },
    }).split('event: message_delta')[0];
    const end = `event: message_delta${toEventStream({ text: 'ok', usage }).split('event: message_delta')[1] ?? ''}`;
    const { model } = await serve([
      { raw: `${start ?? ''}${end}`, headers: SSE },
    ]);
    expect((await model.chat(ask())).usage).toEqual({
      input: 8,
      cached: 3,
      output: 7,
    });
  });

  it('is what createModel makes for its provider', async () => {
    const { server } = await serve([{ text: 'hi' }]);
    const { fetch } = globalThis;
    const config = parseConfig({
      LAL_PROVIDER: 'anthropic',
      LAL_HOST: server.url,
      LAL_AUTH_TOKEN: TOKEN,
      LAL_MAX_TOKENS: '77',
    });
    const model = await createModel(config.model, { fetch });
    expect(model.provider).toBe('anthropic');
    expect((await model.chat(ask())).message.content).toBe('hi');
    expect(server.requests[0]?.body.max_tokens).toBe(77);
  });
});

describe('a stream of the Anthropic wire', () => {
  const reply: AnthropicReply = {
    thinking: 'hm',
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
      return Promise.resolve(new Response(body, { headers: SSE }));
    };
    const model = modelAt('http://127.0.0.1:1', fetch);
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

  it('passes over events that are yet to come', async () => {
    const [start = '', ...rest] = toEventStream(reply).split('\n\n');
    const news = 'event: news\ndata: {"type":"news","index":0}';
    const { model } = await serve([
      reply,
      { raw: [start, news, ...rest].join('\n\n'), headers: SSE },
    ]);
    const whole = await model.chat(ask());
    expect(await model.chat(ask())).toEqual(whole);
  });

  it('fails as an error when it breaks off, so that it is tried again', async () => {
    const { model } = await serve([
      badAnthropicReplies.dropped,
      badAnthropicReplies.noStop,
    ]);
    expect((await rejection(model.chat(ask()))).kind).toBe('network');
    expect((await rejection(model.chat(ask()))).kind).toBe('network');
  });

  it.each([
    ['overloaded_error', 'server', true],
    ['rate_limit_error', 'rate-limit', true],
    ['api_error', 'server', true],
    ['authentication_error', 'auth', false],
    ['something_new_error', 'server', true],
  ])(
    'fails as the %s that the server sends in it',
    async (errorEvent, kind, transient) => {
      const { model } = await serve([{ text: 'half', errorEvent }]);
      expect(await rejection(model.chat(ask()))).toMatchObject({
        kind,
        transient,
      });
    },
  );

  it('fails as a bad answer when it is not JSON', async () => {
    const raw = 'event: message_start\ndata: {nonsense\n\n';
    const { model } = await serve([{ raw, headers: SSE }]);
    expect((await rejection(model.chat(ask()))).kind).toBe('bad-response');
  });
});

describe('an abort on the Anthropic wire', () => {
  it('ends a call at once, and the server sees the socket close', async () => {
    const { server, model } = await serve([badAnthropicReplies.hang]);
    const controller = new AbortController();
    const failed = rejection(model.chat(ask(undefined, controller.signal)));
    const { closed } = await server.nextRequest();
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('ends a call in the middle of its stream, and the server sees the socket close', async () => {
    const { server } = await serve([{ text: 'half', stall: true }]);
    const controller = new AbortController();
    let reading: () => void = () => undefined;
    const isRead = new Promise<void>((resolve) => (reading = resolve));
    const fetch: Fetch = async (url, init) => {
      const response = await globalThis.fetch(url, init);
      reading();
      return response;
    };
    const failed = rejection(
      modelAt(server.url, fetch).chat(ask(undefined, controller.signal)),
    );
    const { closed } = await server.nextRequest();
    await isRead;
    controller.abort();
    expect((await failed).kind).toBe('cancelled');
    expect(await closed).toBe(false);
  });

  it('before the call sends nothing', async () => {
    const { server, model } = await serve([{ text: 'x' }]);
    const error = await rejection(
      model.chat(ask(undefined, AbortSignal.abort())),
    );
    expect(error.kind).toBe('cancelled');
    expect(server.requests).toEqual([]);
  });
});
