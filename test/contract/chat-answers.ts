import { expect, it } from 'vitest';

import { createModel } from '../../providers/index.ts';
import { parseConfig } from '../../src/config.ts';
import type { ChatMessage } from '../../src/model/chat.ts';
import { ask, serveOn, TOKEN } from '../support/chat-model.ts';
import type { ContractWire } from './contract-wire.ts';

/** What a model makes of the answers of its server. */
export const itAnswers = (wire: ContractWire): void => {
  it('answers in prose, with its usage, and sends the token', async () => {
    const { server, model } = await serveOn(wire, [
      { text: 'Hello, Ada – ça va? 👋' },
    ]);
    expect(await model.chat(ask())).toEqual({
      message: {
        role: 'assistant',
        content: 'Hello, Ada – ça va? 👋',
        toolCalls: [],
      },
      stop: 'end',
      usage: { input: 20, cached: 0, output: 7 },
    });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: `Bearer ${TOKEN}` },
      body: { stream: true },
    });
  });

  it('sends no authorization when there is no token', async () => {
    const { server } = await serveOn(wire, [{ text: 'hi' }]);
    await wire.modelAt(server.url).chat(ask());
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it.each([{ plain: false }, { plain: true }])(
    'calls tools, two at a time ($plain: without a stream)',
    async ({ plain }) => {
      const toolCalls = [
        { id: 'a', name: 'list', args: { petNamePath: ['é'] } },
        { id: 'b', name: 'list' },
      ];
      const { model } = await serveOn(wire, [
        { text: 'I look.', toolCalls, plain },
      ]);
      const { message, stop } = await model.chat(ask());
      expect(stop).toBe('tools');
      expect(message).toEqual({
        role: 'assistant',
        content: 'I look.',
        toolCalls: [
          { id: 'a', name: 'list', argumentsText: '{"petNamePath":["é"]}' },
          { id: 'b', name: 'list', argumentsText: '{}' },
        ],
      });
    },
  );

  it('gives a call an id of its own when the server gives none, or one twice', async () => {
    const toolCalls = ['', 'same', 'same', 'before'].map((id) => ({
      id,
      name: 'list',
    }));
    const { model } = await serveOn(wire, [{ toolCalls }]);
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

  it.each([{ plain: false }, { plain: true }])(
    'does not say what was thought ($plain: without a stream)',
    async ({ plain }) => {
      const { model } = await serveOn(wire, [
        { thinking: 'secret thoughts', text: 'Four.', plain },
      ]);
      expect((await model.chat(ask())).message.content).toBe('Four.');
    },
  );

  it('says that an answer was cut off', async () => {
    const { model } = await serveOn(wire, [wire.bad.cutOff]);
    expect(await model.chat(ask())).toMatchObject({
      message: { content: 'this sentence was cut' },
      stop: 'length',
    });
  });

  it('takes a usage that no tokens can have for a very large one', async () => {
    const { model } = await serveOn(wire, [wire.bad.hugeUsage]);
    const { usage } = await model.chat(ask());
    expect(usage.input + usage.output).toBeGreaterThan(1e6);
    expect(Number.isSafeInteger(usage.input + usage.output)).toBe(true);
  });

  it('answers two calls at once, and the end of one does not end the other', async () => {
    let answerSecond: (() => void) | undefined;
    const after = new Promise<void>((resolve) => {
      answerSecond = resolve;
    });
    const { server, model } = await serveOn(wire, (_request, index) =>
      index === 0 ? { text: 'first', stall: true } : { text: 'second', after },
    );
    const controller = new AbortController();
    const first = model.chat(ask(undefined, controller.signal));
    const failed = expect(first).rejects.toMatchObject({ kind: 'cancelled' });
    await server.nextRequest();
    const second = model.chat(ask());
    await server.nextRequest();
    controller.abort();
    await failed;
    answerSecond?.();
    expect((await second).message.content).toBe('second');
  });

  it('is what createModel makes for its provider', async () => {
    const { server } = await serveOn(wire, [{ text: 'hi' }]);
    const { fetch } = globalThis;
    const config = parseConfig({
      LAL_PROVIDER: wire.provider,
      LAL_HOST: server.url,
      LAL_MODEL: 'some-model',
      LAL_MAX_TOKENS: '77',
    });
    const model = await createModel(config.model, { fetch });
    expect(model).toMatchObject({
      provider: wire.provider,
      model: 'some-model',
    });
    expect((await model.chat(ask())).message.content).toBe('hi');
    expect(server.requests[0]?.body).toMatchObject({ model: 'some-model' });
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(
      /"(max_tokens|num_predict)":77\b/,
    );
  });
};
