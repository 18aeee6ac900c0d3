import { describe, expect, it } from 'vitest';

import type { ChatRequest } from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';
import type { ModelErrorKind } from '../../src/model/model-error.ts';
import { withRetry } from '../../src/model/retry.ts';
import type { RetryEvent } from '../../src/model/retry.ts';
import {
  answer,
  fail,
  hang,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import type { Step } from '../support/scripted-model.ts';

const failure = (kind: ModelErrorKind, retryAfterMs?: number) =>
  new ModelError(`scripted ${kind}`, {
    kind,
    remedy: 'none',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });

const setUp = (steps: Step[], { maxAttempts = 4, random = 0 } = {}) => {
  const script = makeScriptedModel(steps);
  const waits: number[] = [];
  const events: RetryEvent[] = [];
  const controller = new AbortController();
  const request: ChatRequest = {
    messages: [],
    tools: [],
    signal: controller.signal,
  };
  const model = withRetry(script.model, {
    wait: (ms) => {
      waits.push(ms);
      return Promise.resolve();
    },
    random: () => random,
    maxAttempts,
    onRetry: (event) => events.push(event),
  });
  return { ...script, model, waits, events, controller, request };
};

describe('a model with retries', () => {
  it('does not wait when the first call succeeds', async () => {
    const { model, request, waits } = setUp([answer('hello')]);
    expect((await model.chat(request)).message.content).toBe('hello');
    expect(waits).toEqual([]);
  });

  it.each(['rate-limit', 'server', 'network', 'timeout'] as const)(
    'tries again after a failure of kind %s, and tells of it',
    async (kind) => {
      const { model, request, events, assertDone } = setUp([
        fail(failure(kind)),
        answer('hello'),
      ]);
      expect((await model.chat(request)).message.content).toBe('hello');
      expect(events).toMatchObject([
        { attempt: 1, error: { kind }, waitMs: 250 },
      ]);
      assertDone();
    },
  );

  it.each([
    'auth',
    'missing-model',
    'overflow',
    'bad-request',
    'bad-response',
    'cancelled',
  ] as const)('does not try again after a failure of kind %s', async (kind) => {
    const { model, request, assertDone } = setUp([fail(failure(kind))]);
    await expect(model.chat(request)).rejects.toMatchObject({ kind });
    assertDone();
  });

  it('waits twice as long each time, up to a limit', async () => {
    const steps = Array.from({ length: 8 }, () => fail(failure('server')));
    const { model, request, waits } = setUp([...steps, answer('late')], {
      maxAttempts: 9,
    });
    await model.chat(request);
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
  });

  it('spreads its waits by chance over their upper half', async () => {
    const { model, request, waits } = setUp(
      [fail(failure('server')), answer('x')],
      {
        random: 0.5,
      },
    );
    await model.chat(request);
    expect(waits).toEqual([375]);
  });

  it('waits as long as the server asks, up to a minute', async () => {
    const steps = [3000, 10, 900_000].map((ms) =>
      fail(failure('rate-limit', ms)),
    );
    const { model, request, waits } = setUp([...steps, answer('x')]);
    await model.chat(request);
    expect(waits).toEqual([3000, 500, 60_000]);
  });

  it('gives up with the last error after so many attempts', async () => {
    const steps = Array.from({ length: 4 }, () => fail(failure('server')));
    const { model, request, waits, assertDone } = setUp(steps);
    await expect(model.chat(request)).rejects.toMatchObject({ kind: 'server' });
    expect(waits).toHaveLength(3);
    assertDone();
  });

  it('stops at once when it is aborted while it waits', async () => {
    const script = makeScriptedModel([fail(failure('server'))]);
    const controller = new AbortController();
    const model = withRetry(script.model, {
      wait: () => {
        controller.abort();
        return Promise.resolve();
      },
      random: () => 0,
      maxAttempts: 4,
    });
    const chat = model.chat({
      messages: [],
      tools: [],
      signal: controller.signal,
    });
    await expect(chat).rejects.toMatchObject({ kind: 'cancelled' });
    script.assertDone();
  });

  it('stops at once when it is aborted during the call', async () => {
    const { model, request, controller, nextRequest } = setUp([hang()]);
    const chat = model.chat(request);
    await nextRequest();
    controller.abort();
    await expect(chat).rejects.toMatchObject({ kind: 'cancelled' });
  });
});
