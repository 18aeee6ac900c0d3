import { describe, expect, it, onTestFinished } from 'vitest';

import type { ChatMessage } from '../../src/model/chat.ts';
import { itReportsFailures } from '../contract/chat-failures.ts';
import { ask, rejection, serveOn, TOKEN, tool } from '../support/chat-model.ts';
import type { Fetch } from '../support/chat-model.ts';
import { ollamaWire } from '../support/ollama-model.ts';
import { badOllamaReplies } from '../support/ollama-server.ts';
import type { OllamaScript } from '../support/ollama-server.ts';

const { modelAt } = ollamaWire;
const { toStream } = ollamaWire.form;
const serve = (script: OllamaScript) => serveOn(ollamaWire, script);

describe('an Ollama', () => {
  it('is asked for a stream, with the context that was configured', async () => {
    const { server, model } = await serve([{ text: 'Hello, Ada.' }]);
    await model.chat(ask());
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
      return Promise.resolve(new Response(toStream({ text: 'x' })));
    };
    process.env['OLLAMA_API_KEY'] = 'of-somebody-else';
    onTestFinished(() => {
      delete process.env['OLLAMA_API_KEY'];
    });
    await modelAt('https://ollama.com', { fetch }).chat(ask());
    await modelAt('https://ollama.com', { fetch, token: TOKEN }).chat(ask());
    expect(seen).toEqual([null, `Bearer ${TOKEN}`]);
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
});

describe('the lines of a stream', () => {
  it('may be empty, and the last needs no end', async () => {
    const fetch: Fetch = () =>
      Promise.resolve(
        new Response(
          `\n${toStream({ text: 'Ça va – 👋' }).replaceAll('\n', '\n\n').trim()}`,
        ),
      );
    const model = modelAt('http://ollama.test', { fetch });
    expect((await model.chat(ask())).message.content).toBe('Ça va – 👋');
  });
});

describe('an Ollama that fails', () => {
  itReportsFailures(ollamaWire, [
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
    ['an empty document', { raw: '' }, 'network', /ollama serve/],
    [
      'half a stream',
      badOllamaReplies.dropped,
      'network',
      /ollama serve.*LAL_HOST/,
    ],
    [
      'a stream without its last line',
      badOllamaReplies.noEnd,
      'network',
      /ollama serve/,
    ],
  ]);

  it('tells its own words', async () => {
    const { model } = await serve([badOllamaReplies.tooMany]);
    const error = await rejection(model.chat(ask()));
    expect(error.message).toContain('too many requests');
  });

  it('by not running is reported with how to start it', async () => {
    const { server, model } = await serve([]);
    await server.close();
    const error = await rejection(model.chat(ask()));
    expect(error.remedy).toContain('ollama serve');
  });
});
