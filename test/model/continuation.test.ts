import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { ChatRequest } from '../../src/model/chat.ts';
import { withContinuation } from '../../src/model/continuation.ts';
import { joinTexts } from '../../src/model/join-texts.ts';
import { ModelError } from '../../src/model/model-error.ts';
import {
  answer,
  call,
  calls,
  fail,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import type { Step } from '../support/scripted-model.ts';

const request: ChatRequest = {
  messages: [{ role: 'user', content: 'tell me' }],
  tools: [],
  signal: new AbortController().signal,
};

const ask = async (steps: Step[]) => {
  const script = makeScriptedModel(steps);
  const result = await withContinuation(script.model).chat(request);
  script.assertDone();
  return { ...result, requests: script.requests };
};

const cut = (text: string) => answer(text, { stop: 'length' });

describe('an answer that is cut off', () => {
  it('is gone on with, and joined, and its usage summed', async () => {
    const { message, stop, usage, requests } = await ask([
      cut('One, two'),
      answer(', three.'),
    ]);
    expect(message).toEqual({
      role: 'assistant',
      content: 'One, two, three.',
      toolCalls: [],
    });
    expect(stop).toBe('end');
    expect(usage).toEqual({ input: 20, cached: 0, output: 10 });
    expect(requests[1]?.messages).toMatchObject([
      { role: 'user', content: 'tell me' },
      { role: 'assistant', content: 'One, two' },
      { role: 'user', content: expect.stringContaining('cut off') as string },
    ]);
  });

  it('is not doubled when the model begins again a little earlier', async () => {
    const { message } = await ask([
      cut('The quick brown fox jumps'),
      answer('quick brown fox jumps over the dog.'),
    ]);
    expect(message.content).toBe('The quick brown fox jumps over the dog.');
  });

  it('is gone on with twice, then reported', async () => {
    const { message, stop } = await ask([cut('a'), cut('b'), cut('c')]);
    expect(message.content).toBe('abc');
    expect(stop).toBe('length');
  });

  it('may end in a tool call', async () => {
    const { message, stop } = await ask([
      cut('I look '),
      calls([['list', {}]], 'now.'),
    ]);
    expect(message).toMatchObject({
      content: 'I look now.',
      toolCalls: [{ name: 'list' }],
    });
    expect(stop).toBe('tools');
  });

  it('loses its tool calls when it is cut in one, and the model is told', async () => {
    const { message, requests } = await ask([
      calls(
        [
          ['list', {}],
          ['send', '{"strings":["hel'],
        ],
        'Sending.',
        { stop: 'length' },
      ),
      call('send', { strings: ['hello'] }),
    ]);
    expect(message.content).toBe('');
    expect(message.toolCalls).toMatchObject([
      { argumentsText: '{"strings":["hello"]}' },
    ]);
    expect(requests[1]?.messages.slice(1)).toMatchObject([
      { content: 'Sending.', toolCalls: [] },
      { content: expect.stringContaining('no tool was run') as string },
    ]);
  });

  it('loses a tool call in its text, too', async () => {
    const { message } = await ask([
      cut('Sending. <tool_call>{"name":"send","arguments":{"strings":["hel'),
      answer('It was too long.'),
    ]);
    expect(message.content).toBe('It was too long.');
  });

  it('never has a tool call that is not whole', async () => {
    const half = calls([['send', '{"strings":["hel']], '', { stop: 'length' });
    const { message, stop } = await ask([half, half, half]);
    expect(message.toolCalls).toEqual([]);
    expect(stop).toBe('length');
  });

  it('is asked for in short when all of it was thought', async () => {
    const { message, requests } = await ask([
      cut('<think>hm, hm'),
      answer('Four.'),
    ]);
    expect(message.content).toBe('Four.');
    expect(requests[1]?.messages.at(-1)?.content).toContain('thinking');
  });

  it('is kept as it is when going on fails', async () => {
    const overflow = new ModelError('too long', {
      kind: 'overflow',
      remedy: 'none',
    });
    const { message, stop } = await ask([
      cut('Half an answer'),
      fail(overflow),
    ]);
    expect(message.content).toBe('Half an answer');
    expect(stop).toBe('length');
  });

  it('is given up when the call is cancelled', async () => {
    const cancelled = new ModelError('stop', {
      kind: 'cancelled',
      remedy: 'none',
    });
    await expect(ask([cut('Half'), fail(cancelled)])).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});

describe('joined texts', () => {
  it('are the whole text, wherever it was cut and however much is repeated', () => {
    const text = Array.from({ length: 60 }, (_, index) => `word${index}`).join(
      ' ',
    );
    fc.assert(
      fc.property(
        fc.nat(text.length),
        fc.integer({ min: 12, max: 200 }),
        (at, repeated) => {
          const from = Math.max(0, at - repeated);
          const next = text.slice(at - from < 12 ? at : from);
          expect(joinTexts(text.slice(0, at), next)).toBe(text);
        },
      ),
    );
  });

  it('keep a short repetition, which may be meant', () => {
    expect(joinTexts('ha ha ', 'ha ha')).toBe('ha ha ha ha');
  });
});
