import { Far } from '@endo/far';
import { makePromiseKit } from '@endo/promise-kit';
import { describe, expect, it } from 'vitest';

import type { AdmittedPath } from '../../src/endo/name-gate.ts';
import { defineTool, type ToolDefinition } from '../../src/tool/define-tool.ts';
import {
  dispatchCall,
  dispatchCalls,
  type DispatchPowers,
} from '../../src/tool/dispatch.ts';
import type { Effect, FaeTool } from '../../src/tool/fae-tool.ts';
import {
  messageNumber,
  optional,
  text,
  type ToolPowers,
} from '../../src/tool/parameter-kinds.ts';
import { makeToolSet } from '../../src/tool/registry.ts';

const toolPowers: ToolPowers = {
  names: { admit: (path) => Promise.resolve(path as AdmittedPath) },
};

const never = (): Promise<unknown> => makePromiseKit().promise;

const makeDesk = () => {
  const log: string[] = [];
  const timers = new Set<() => void>();
  const abort = new AbortController();
  const define = (
    name: string,
    effect: Effect,
    act: (said: string) => unknown = (said) => said,
  ): ToolDefinition<ToolPowers> =>
    defineTool({
      name,
      description: name,
      effect,
      parameters: {
        say: optional(text(), ''),
        number: optional(messageNumber()),
      },
      execute: async ({ say }) => {
        log.push(`${name} ${say} starts`);
        const result = await act(say);
        log.push(`${name} ${say} ends`);
        return result;
      },
    });
  const makePowers = (
    definitions: readonly ToolDefinition<ToolPowers>[],
    extra: Partial<DispatchPowers> = {},
  ): DispatchPowers => ({
    registry: makeToolSet(definitions, toolPowers),
    timeoutMs: 1000,
    startTimer: (_delayMs, fire) => {
      timers.add(fire);
      return () => timers.delete(fire);
    },
    signal: abort.signal,
    ...extra,
  });
  return { log, timers, abort, define, makePowers };
};

const call = (name: string, args: unknown = {}, id = 'c1') => ({
  id,
  name,
  argumentsText: typeof args === 'string' ? args : JSON.stringify(args),
});

describe('a dispatched call', () => {
  it('has an outcome that carries the call, its effect and the rendered result', async () => {
    const { define, makePowers, timers } = makeDesk();
    const powers = makePowers([define('put', 'once', () => ({ number: 5n }))]);
    const theCall = call('put');
    expect(await dispatchCall(theCall, powers)).toEqual({
      call: theCall,
      name: 'put',
      effect: 'once',
      content: '{ number: 5n }',
      ok: true,
      isError: false,
    });
    expect(timers.size).toBe(0);
  });

  it('of an unknown tool names those that are near, and all', async () => {
    const { define, makePowers } = makeDesk();
    const powers = makePowers([
      define('list', 'read'),
      define('listMessages', 'read'),
      define('send', 'once'),
    ]);
    const outcome = await dispatchCall(call('List_messages'), powers);
    expect(outcome).toMatchObject({
      ok: false,
      isError: true,
      failure: 'unknown-tool',
      effect: 'read',
      content:
        'There is no tool "List_messages". Did you mean listMessages or list? Tools: list, listMessages, send.',
    });
    expect((await dispatchCall(call('frobnicate'), powers)).content).toContain(
      'Use one of these. Tools: list',
    );
  });

  it.each([
    ['text that is no JSON', '{"say": "cut op'],
    ['a list', '[]'],
    ['a wrong type', { say: 5 }],
    ['an unknown parameter', { sey: 'x' }],
    ['a number that is none', { number: 'abc' }],
  ])('does not run on %s', async (_what, args) => {
    const { define, makePowers, log } = makeDesk();
    const outcome = await dispatchCall(
      call('put', args),
      makePowers([define('put', 'once')]),
    );
    expect(outcome).toMatchObject({
      failure: 'bad-arguments',
      isError: true,
      effect: 'read',
    });
    expect(log).toEqual([]);
  });

  it('that fails tells the error, not where in the program it was', async () => {
    const { define, makePowers, timers } = makeDesk();
    const powers = makePowers([
      define('put', 'once', () => {
        throw Error('the shelf is full');
      }),
    ]);
    expect(await dispatchCall(call('put'), powers)).toMatchObject({
      failure: 'tool-error',
      effect: 'once',
      content: 'put failed: the shelf is full',
    });
    expect(timers.size).toBe(0);
  });

  it('that fails tells no ids', async () => {
    const { define, makePowers } = makeDesk();
    const id = `${'a'.repeat(64)}:${'0'.repeat(64)}`;
    const powers = makePowers([
      define('put', 'once', () => {
        throw Error(`no ${id} at endo://${'b'.repeat(64)}/?id=1 of c0ffee`);
      }),
    ]);
    expect((await dispatchCall(call('put'), powers)).content).toBe(
      'put failed: no (an id) at (an id) of c0ffee',
    );
  });

  it('never rejects, whatever a tool throws', async () => {
    for (const thrown of [undefined, null, 'text', 5n, { a: 1 }]) {
      const { define, makePowers } = makeDesk();
      const powers = makePowers([
        // A hostile tool keeps no rule.
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
        define('put', 'once', () => Promise.reject(thrown)),
      ]);
      expect((await dispatchCall(call('put'), powers)).isError).toBe(true);
    }
  });

  it('that hangs costs its own time only, and says what is unknown', async () => {
    const { define, makePowers, timers } = makeDesk();
    const powers = makePowers([
      define('put', 'once', never),
      define('get', 'read', never),
    ]);
    for (const [name, words] of [
      ['put', 'unknown: check before you repeat it'],
      ['get', 'may be called again'],
    ] as const) {
      const running = dispatchCall(call(name), powers);
      expect(timers.size).toBe(1);
      for (const fire of timers) fire();
      const outcome = await running;
      expect(outcome).toMatchObject({ failure: 'timeout' });
      expect(outcome.content).toContain('no result within 1000 ms');
      expect(outcome.content).toContain(words);
      expect(timers.size).toBe(0);
    }
  });

  it('is left when the turn is cancelled, and none starts after that', async () => {
    const { define, makePowers, timers, abort, log } = makeDesk();
    const started = makePromiseKit<undefined>();
    const powers = makePowers([
      define('put', 'once', () => {
        started.resolve(undefined);
        return never();
      }),
    ]);
    const running = dispatchCalls(
      [call('put', { say: 'a' }), call('put', { say: 'b' }, 'c2')],
      powers,
    );
    await started.promise;
    abort.abort();
    expect(await running).toMatchObject([
      { failure: 'cancelled', effect: 'once' },
      { failure: 'not-started', effect: 'read' },
    ]);
    expect(log).toEqual(['put a starts']);
    expect(timers.size).toBe(0);
  });

  it('shows at most 32 KiB of a result or an error', async () => {
    const { define, makePowers } = makeDesk();
    const long = 'x'.repeat(100_000);
    const kept: string[] = [];
    const powers = makePowers(
      [
        define('get', 'read', () => long),
        define('fail', 'read', () => {
          throw Error(long);
        }),
      ],
      {
        keepRest: (whole) => {
          kept.push(whole);
          return 'more by readResult';
        },
      },
    );
    const outcomes = await dispatchCalls(
      [call('get'), call('fail', {}, 'c2')],
      powers,
    );
    for (const { content } of outcomes) {
      expect(content.length).toBeLessThanOrEqual(32 * 1024);
      expect(content).toContain('[cut: ');
    }
    expect(kept).toEqual([long]);
    expect(outcomes[0]?.content).toContain('more by readResult');
  });
});

describe('the calls of one answer', () => {
  it('run in parallel when all of them read, with outcomes in call order', async () => {
    const { define, makePowers, log } = makeDesk();
    const gate = makePromiseKit<undefined>();
    const powers = makePowers([
      define('get', 'read', async (said) => {
        if (said === 'a') await gate.promise;
        else gate.resolve(undefined);
        return said;
      }),
    ]);
    // In order this would never end: a waits for b.
    const outcomes = await dispatchCalls(
      [call('get', { say: 'a' }, 'c1'), call('get', { say: 'b' }, 'c2')],
      powers,
    );
    expect(outcomes.map(({ content }) => content)).toEqual(['a', 'b']);
    expect(outcomes.map((outcome) => outcome.call.id)).toEqual(['c1', 'c2']);
    expect(log.at(-1)).toBe('get a ends');
  });

  it.each(['once', 'idempotent'] as const)(
    'run in order as soon as one is %s',
    async (effect) => {
      const { define, makePowers, log } = makeDesk();
      const powers = makePowers([define('get', 'read'), define('put', effect)]);
      await dispatchCalls(
        [
          call('get', { say: 'a' }),
          call('put', { say: 'b' }),
          call('nothing'),
          call('get', { say: 'c' }),
        ],
        powers,
      );
      expect(log).toEqual([
        'get a starts',
        'get a ends',
        'put b starts',
        'put b ends',
        'get c starts',
        'get c ends',
      ]);
    },
  );

  it('go on after one that failed or hung', async () => {
    const { define, makePowers, timers } = makeDesk();
    const started = makePromiseKit<undefined>();
    const powers = makePowers([
      define('hang', 'once', () => {
        started.resolve(undefined);
        return never();
      }),
      define('put', 'once'),
    ]);
    const running = dispatchCalls(
      [call('hang'), call('put', 'not json'), call('put', { say: 'x' })],
      powers,
    );
    await started.promise;
    for (const fire of timers) fire();
    expect(await running).toMatchObject([
      { failure: 'timeout' },
      { failure: 'bad-arguments' },
      { ok: true, content: 'x' },
    ]);
  });
});

describe('a registry', () => {
  const farTool = (said: string) =>
    Far('FaeTool', {
      schema: () => harden({}),
      execute: () => said,
      help: () => said,
    }) as unknown as FaeTool;
  const adoptedEntry = (name: string) => ({
    name,
    schema: {
      type: 'function' as const,
      function: { name, description: 'adopted', parameters: {} },
    },
    effect: 'once' as const,
    tool: farTool(`adopted ${name}`),
    decode: (given: { readonly [key: string]: unknown }) => given,
  });

  it('lets a static name win, and puts adopted tools last, as they come', async () => {
    const { define, makePowers } = makeDesk();
    const adopted = [adoptedEntry('greet'), adoptedEntry('put')];
    const registry = makeToolSet(
      [define('put', 'once', () => 'static')],
      toolPowers,
      {
        entries: () => adopted,
      },
    );
    const names = () => registry.schemas().map((each) => each.function.name);
    expect(names()).toEqual(['put', 'greet']);
    adopted.push(adoptedEntry('add'));
    expect(names()).toEqual(['put', 'greet', 'add']);

    const powers = makePowers([], { registry });
    expect((await dispatchCall(call('put'), powers)).content).toBe('static');
    expect((await dispatchCall(call('greet'), powers)).content).toBe(
      'adopted greet',
    );
  });

  it('refuses two static tools of one name', () => {
    const { define } = makeDesk();
    expect(() =>
      makeToolSet([define('put', 'once'), define('put', 'read')], toolPowers),
    ).toThrow('Two static tools have one name');
  });
});
