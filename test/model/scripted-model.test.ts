import { describe, expect, it } from 'vitest';

import type { ChatRequest } from '../../src/model/chat.ts';
import {
  after,
  answer,
  call,
  expecting,
  makeScriptedModel,
} from '../support/scripted-model.ts';

const request = (
  content: string,
  signal = new AbortController().signal,
): ChatRequest => ({
  messages: [{ role: 'user', content }],
  tools: [],
  signal,
});

describe('a scripted model', () => {
  it('takes its steps in order and shows what it was asked', async () => {
    const script = makeScriptedModel([call('list'), answer('done')]);
    const first = await script.model.chat(request('a'));
    expect(first).toMatchObject({
      stop: 'tools',
      message: { toolCalls: [{ name: 'list' }] },
    });
    expect(() => script.assertDone()).toThrow('1 of 2');
    expect((await script.model.chat(request('b'))).message.content).toBe(
      'done',
    );
    expect((await script.nextRequest()).messages[0]?.content).toBe('a');
    expect((await script.nextRequest()).messages[0]?.content).toBe('b');
    script.assertDone();
  });

  it('fails on a call beyond its steps, then and at the end', async () => {
    const script = makeScriptedModel([]);
    await expect(script.model.chat(request('more'))).rejects.toThrow(
      /Unexpected call 1.*more/,
    );
    expect(() => script.assertDone()).toThrow('Unexpected call 1');
  });

  it('fails at the end when a check of a request failed', async () => {
    const check = ({ messages }: ChatRequest) =>
      expect(messages).toHaveLength(2);
    const script = makeScriptedModel([expecting(check, answer('x'))]);
    await expect(script.model.chat(request('one'))).rejects.toThrow();
    expect(() => script.assertDone()).toThrow();
  });

  it('can wait for something, and be cancelled meanwhile', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const script = makeScriptedModel([
      after(gate, answer('late')),
      after(gate, answer('never')),
    ]);
    const controller = new AbortController();
    const late = script.model.chat(request('a'));
    open();
    expect((await late).message.content).toBe('late');
    controller.abort();
    const never = makeScriptedModel([
      after(new Promise(() => undefined), answer('x')),
    ]);
    await expect(
      never.model.chat(request('b', controller.signal)),
    ).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});
