import { describe, expect, it } from 'vitest';

import { anthropicWire } from '../support/anthropic-model.ts';
import type {
  AnthropicReply,
  AnthropicScript,
} from '../support/anthropic-server.ts';
import { ask, rejection, serveOn } from '../support/chat-model.ts';

const { modelAt } = anthropicWire;
const serve = (script: AnthropicScript) => serveOn(anthropicWire, script);
const { toStream } = anthropicWire.form;

const SSE = { 'content-type': 'text/event-stream' };

describe('a model of the Anthropic wire', () => {
  it('asks for a stream, and counts what came from its cache', async () => {
    const usage = {
      input_tokens: 30,
      cache_creation_input_tokens: 6,
      cache_read_input_tokens: 64,
      output_tokens: 9,
    };
    const { server, model } = await serve([{ text: 'Hello', usage }]);
    expect((await model.chat(ask())).usage).toEqual({
      input: 100,
      cached: 64,
      output: 9,
    });
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

  it('keeps the usage of the beginning where the end does not repeat it', async () => {
    const usage = { input_tokens: null, cache_read_input_tokens: null };
    const start = toStream({
      text: 'ok',
      usage: { input_tokens: 5, cache_read_input_tokens: 3 },
    }).split('event: message_delta')[0];
    const end = `event: message_delta${toStream({ text: 'ok', usage }).split('event: message_delta')[1] ?? ''}`;
    const { model } = await serve([
      { raw: `${start ?? ''}${end}`, headers: SSE },
    ]);
    expect((await model.chat(ask())).usage).toEqual({
      input: 8,
      cached: 3,
      output: 7,
    });
  });
});

describe('a stream of the Anthropic wire', () => {
  const reply: AnthropicReply = {
    thinking: 'hm',
    text: 'Ça va – 👋',
    toolCalls: [{ id: 'a', name: 'list', args: { petNamePath: ['é'] } }],
  };

  it('passes over events that are yet to come', async () => {
    const [start = '', ...rest] = toStream(reply).split('\n\n');
    const news = 'event: news\ndata: {"type":"news","index":0}';
    const { model } = await serve([
      reply,
      { raw: [start, news, ...rest].join('\n\n'), headers: SSE },
    ]);
    const whole = await model.chat(ask());
    expect(await model.chat(ask())).toEqual(whole);
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
});
