import { describe, expect, it } from 'vitest';

import type { ChatMessage } from '../../src/model/chat.ts';
import { itReportsFailures } from '../contract/chat-failures.ts';
import { ask, rejection, serveOn, TOKEN } from '../support/chat-model.ts';
import { openAiWire } from '../support/openai-model.ts';
import { badReplies } from '../support/openai-server.ts';
import type { Script } from '../support/openai-server.ts';

const SSE = { 'content-type': 'text/event-stream' };

const serve = (script: Script) => serveOn(openAiWire, script);

describe('an OpenAI-compatible model', () => {
  it('asks for a stream with its usage, and counts what came from a cache', async () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 9,
      prompt_tokens_details: { cached_tokens: 64 },
    };
    const { server, model } = await serve([{ text: 'Hello', usage }]);
    expect((await model.chat(ask())).usage).toEqual({
      input: 100,
      cached: 64,
      output: 9,
    });
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

  it('finds its server with a slash at the end of LAL_HOST', async () => {
    const { server } = await serve([{ text: 'hi' }]);
    await openAiWire.modelAt(`${server.url}/`).chat(ask());
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
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
});

describe('a stream of the OpenAI wire', () => {
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
    const { model } = await serve([{ raw, headers: SSE }]);
    const { message } = await model.chat(ask());
    expect(message.toolCalls.map(({ argumentsText }) => argumentsText)).toEqual(
      ['{"n":0}', '{"n":1}'],
    );
  });

  it('fails with the status that an error in it has as its code', async () => {
    const raw = 'data: {"error":{"message":"slow down","code":429}}\n\n';
    const { model } = await serve([{ raw, headers: SSE }]);
    expect((await rejection(model.chat(ask()))).kind).toBe('rate-limit');
  });
});

describe('a server of the OpenAI wire that fails', () => {
  itReportsFailures(openAiWire, [
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
    [
      'a conversation that is too long for OpenAI',
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
    [
      'an answer without choices',
      badReplies.emptyChoices,
      'bad-response',
      /LAL_HOST/,
    ],
    ['an empty document', { raw: '' }, 'bad-response', /LAL_HOST/],
    [
      'an error with status 200 and a code',
      { raw: '{"error":{"message":"x","code":503}}' },
      'server',
      /log/,
    ],
  ]);
});
