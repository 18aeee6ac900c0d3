import { describe, expect, it } from 'vitest';

import { parseConfig } from '../../src/config.ts';
import type { ChatModel, ChatRequest } from '../../src/model/chat.ts';
import { makeWait, withTimeout } from '../../src/model/timeout.ts';
import { answer, hang, makeScriptedModel } from '../support/scripted-model.ts';

/** A timer that runs when it is told to. */
const makeTimer = () => {
  const timers = new Map<() => void, number>();
  return {
    setTimer: (callback: () => void, ms: number) => {
      timers.set(callback, ms);
      return () => void timers.delete(callback);
    },
    waiting: () => [...timers.values()],
    fire: () => {
      for (const callback of [...timers.keys()]) {
        timers.delete(callback);
        callback();
      }
    },
  };
};

const makeRequest = (controller = new AbortController()): ChatRequest => ({
  messages: [],
  tools: [],
  signal: controller.signal,
});

describe('a model with a time limit', () => {
  it('passes an answer on and forgets its timer', async () => {
    const timer = makeTimer();
    const { model } = makeScriptedModel([answer('in time')]);
    const limited = withTimeout(model, {
      timeoutMs: 1000,
      setTimer: timer.setTimer,
    });
    expect((await limited.chat(makeRequest())).message.content).toBe('in time');
    expect(timer.waiting()).toEqual([]);
  });

  it('rejects naming LAL_MODEL_TIMEOUT_MS, and aborts the call beneath', async () => {
    const timer = makeTimer();
    const { model, nextRequest } = makeScriptedModel([hang()]);
    const limited = withTimeout(model, {
      timeoutMs: 1000,
      setTimer: timer.setTimer,
    });
    const chat = limited.chat(makeRequest());
    const beneath = await nextRequest();
    expect(timer.waiting()).toEqual([1000]);
    timer.fire();
    await expect(chat).rejects.toMatchObject({
      kind: 'timeout',
      remedy: expect.stringContaining('LAL_MODEL_TIMEOUT_MS') as string,
    });
    expect(beneath.signal.aborted).toBe(true);
  });

  it('rejects at once on an abort, also when the model does not heed it', async () => {
    const timer = makeTimer();
    const deaf: ChatModel = {
      provider: 'deaf',
      model: 'deaf',
      chat: () => new Promise(() => {}),
    };
    const controller = new AbortController();
    const limited = withTimeout(deaf, {
      timeoutMs: 1000,
      setTimer: timer.setTimer,
    });
    const chat = limited.chat(makeRequest(controller));
    controller.abort();
    await expect(chat).rejects.toMatchObject({ kind: 'cancelled' });
    expect(timer.waiting()).toEqual([]);
  });

  it('does not call the model when it is aborted already', async () => {
    const { model, requests } = makeScriptedModel([]);
    const controller = new AbortController();
    controller.abort();
    const limited = withTimeout(model, {
      timeoutMs: 1000,
      setTimer: makeTimer().setTimer,
    });
    await expect(limited.chat(makeRequest(controller))).rejects.toMatchObject({
      kind: 'cancelled',
    });
    expect(requests).toEqual([]);
  });
});

describe('a wait', () => {
  it('ends when its time is over', async () => {
    const timer = makeTimer();
    const wait = makeWait(timer.setTimer)(20, new AbortController().signal);
    expect(timer.waiting()).toEqual([20]);
    timer.fire();
    await expect(wait).resolves.toBeUndefined();
  });

  it('ends at once on an abort, and forgets its timer', async () => {
    const timer = makeTimer();
    const controller = new AbortController();
    const wait = makeWait(timer.setTimer)(20, controller.signal);
    controller.abort();
    await expect(wait).resolves.toBeUndefined();
    expect(timer.waiting()).toEqual([]);
  });
});

it.each(['LAL_MODEL_TIMEOUT_MS', 'LAL_TOOL_TIMEOUT_MS'])(
  '%s is refused when no timer can wait so long',
  (name) => {
    expect(() => parseConfig({ [name]: '99999999999' })).toThrow(
      `${name} is "99999999999"; it must be a whole number from 1 to 2147483647`,
    );
    expect(() => parseConfig({ [name]: '2147483647' })).not.toThrow();
  },
);
