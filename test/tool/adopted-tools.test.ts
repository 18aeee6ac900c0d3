import { makePromiseKit } from '@endo/promise-kit';
import { describe, expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import {
  makeAdoptedTools,
  type AdoptedTools,
} from '../../src/tool/adopted-tools.ts';
import { dispatchCall, type ToolOutcome } from '../../src/tool/dispatch.ts';
import { makeRegistry } from '../../src/tool/registry.ts';
import { watchTools } from '../../src/tool/watch-tools.ts';
import { type FakeGuest, makeFakeWorld } from '../support/fake-guest.ts';
import {
  type FakeTool,
  makeFakeTool,
  makeHalfTool,
  makeNoTool,
  schemaOf,
} from './fake-tools.ts';

const makeBench = async ({ strict = true } = {}) => {
  const world = makeFakeWorld({ strict });
  const hob = await world.makeGuest('hob');
  const guest = makeGenerationAGuest(hob.powers);
  const troubles: string[] = [];
  const timers = new Set<() => void>();

  const open = (staticNames = ['send', 'listMessages']): AdoptedTools =>
    makeAdoptedTools({
      guest,
      staticNames,
      time: {
        timeoutMs: 10_000,
        startTimer: (_delayMs, fire) => {
          timers.add(fire);
          return () => timers.delete(fire);
        },
      },
      onTrouble: (during, cause) =>
        troubles.push(`${during}: ${(cause as Error).message}`),
    });
  const start = async (): Promise<AdoptedTools> => {
    const tools = open();
    await tools.start();
    await tools.whenReady();
    return tools;
  };

  /** Binds the capability to a name elsewhere, and adopts it by its id. */
  const adopt = async (
    tools: AdoptedTools,
    petName: string,
    value: unknown,
    { replace = false, from = 'HOST' } = {},
  ) => {
    await hob.put(['mail-stand-in'], value);
    const id = (await guest.identify(['mail-stand-in'])) ?? '';
    return tools.adopt({
      id,
      petName,
      from,
      replace,
      bind: () =>
        watchTools(guest, tools).copy(['mail-stand-in'], ['tools', petName]),
    });
  };
  return { hob, guest, troubles, timers, open, start, adopt };
};

const namesOf = ({ source }: AdoptedTools): readonly string[] =>
  source.entries().map(({ name }) => name);

const callOf = (
  tools: AdoptedTools,
  name: string,
  args: unknown = {},
  startTimer: (delayMs: number, fire: () => void) => () => void = () => () =>
    undefined,
): Promise<ToolOutcome> =>
  dispatchCall(
    { id: 'c1', name, argumentsText: JSON.stringify(args) },
    {
      registry: makeRegistry([], [tools.source]),
      timeoutMs: 1000,
      startTimer,
      signal: new AbortController().signal,
    },
  );

/** Goes round the microtasks until it is so; a test that waits in vain ends by its time. */
const until = async (hob: FakeGuest, isSo: () => boolean): Promise<void> => {
  while (!isSo()) await Promise.resolve(hob);
};

describe('an adopted tool', () => {
  it('is named in tools/, recorded, and offered under its function name', async () => {
    const { start, adopt, guest } = await makeBench();
    const tools = await start();
    const { tool } = makeFakeTool('greet');
    const record = await adopt(tools, 'greet-tool', tool);
    expect(record.functionName).toBe('greet');
    expect(await guest.list(['tools'])).toEqual(['greet-tool']);
    expect(await guest.has(['hob-tool-greet-tool'])).toBe(true);
    const [entry] = tools.source.entries();
    expect(entry?.effect).toBe('once');
    expect(entry?.schema.function).toEqual({
      name: 'greet',
      description:
        'Adopted tool tools/greet-tool, from HOST; in its own words: "The tool greet."',
      parameters: { type: 'object', properties: { say: { type: 'string' } } },
    });
    expect((await callOf(tools, 'greet', { say: '- hi' })).content).toBe(
      '{ ran: "greet", args: { say: "- hi" } }',
    );
  });

  it('is there after a restart, in the order of adoption, without being asked', async () => {
    const { start, adopt } = await makeBench();
    const first = await start();
    const fakes = ['zeta', 'alpha', 'mid'].map((name) => makeFakeTool(name));
    for (const [index, { tool }] of fakes.entries()) {
      await adopt(first, `tool-${3 - index}`, tool);
    }
    const before = JSON.stringify(first.source.entries());
    first.close();
    const second = await start();
    expect(namesOf(second)).toEqual(['zeta', 'alpha', 'mid']);
    expect(JSON.stringify(second.source.entries())).toBe(before);
    expect(fakes.map(({ calls }) => calls.schema)).toEqual([1, 1, 1]);
    expect((await callOf(second, 'mid')).ok).toBe(true);
  });

  it('gives its function name up to a static tool that is new', async () => {
    const { start, open, adopt } = await makeBench();
    const first = await start();
    await adopt(first, 'a', makeFakeTool('greet').tool);
    first.close();
    const second = open(['greet']);
    await second.start();
    await second.whenReady();
    expect(namesOf(second)).toEqual(['greet-2']);
  });

  it('is not taken for new when its directory is heard of before its record', async () => {
    const { start, open, adopt, hob, guest } = await makeBench();
    const first = await start();
    const { tool, calls } = makeFakeTool('greet');
    await adopt(first, 'greet', tool);
    first.close();
    const second = open();
    const id = (await guest.identify(['tools'])) ?? '';
    const gate = makePromiseKit<undefined>();
    hob.control.delay = async (method) => {
      if (method === 'list') await gate.promise;
    };
    const starting = second.start();
    second.noteName({ type: 'added', name: 'tools', id });
    // Time enough for whatever would be asked now.
    for (let call = 0; call < 50; call += 1) await guest.has(['tools']);
    gate.resolve(undefined);
    await starting;
    await second.whenReady();
    expect(namesOf(second)).toEqual(['greet']);
    expect(calls.schema).toBe(1);
  });

  it.each([
    ['of another version', { version: 2, id: 'x' }],
    ['that is no record', 'nonsense'],
    ['with a schema that is none', { version: 1, schema: '{' }],
  ])('is asked again when there is a record %s', async (_what, record) => {
    const { start, adopt, guest } = await makeBench();
    const first = await start();
    const { tool, calls } = makeFakeTool('greet');
    await adopt(first, 'greet', tool);
    first.close();
    await guest.storeValue(harden(record), ['hob-tool-greet']);
    expect(namesOf(await start())).toEqual(['greet']);
    expect(calls.schema).toBe(2);
  });

  it('is gone when its name is removed, in the turn that does it at once', async () => {
    const { start, adopt, guest } = await makeBench();
    const tools = await start();
    await adopt(tools, 'greet', makeFakeTool('greet').tool);
    await watchTools(guest, tools).remove(['tools', 'greet']);
    expect(namesOf(tools)).toEqual([]);
    expect(await guest.has(['hob-tool-greet'])).toBe(false);
  });

  it('is gone when somebody else removes its name, or all of tools/', async () => {
    const { start, adopt, guest, hob } = await makeBench();
    const tools = await start();
    await adopt(tools, 'one', makeFakeTool('one').tool);
    await adopt(tools, 'two', makeFakeTool('two').tool);
    await guest.remove(['tools', 'one']);
    await until(hob, () => namesOf(tools).length === 1);
    await guest.remove(['tools']);
    tools.noteName({ type: 'removed', name: 'tools' });
    await until(hob, () => namesOf(tools).length === 0);
    expect(await guest.has(['tools'])).toBe(false);
  });

  it('was removed while the agent was away: its record goes too', async () => {
    const { start, adopt, guest } = await makeBench();
    const first = await start();
    await adopt(first, 'one', makeFakeTool('one').tool);
    first.close();
    await guest.remove(['tools', 'one']);
    const second = await start();
    expect(namesOf(second)).toEqual([]);
    expect(await guest.has(['hob-tool-one'])).toBe(false);
  });

  it.each([
    ['its worker dies', () => Promise.reject(Error('worker ended')), 'failed'],
    [
      'it throws',
      () => {
        throw Error('no such file');
      },
      'no such file',
    ],
  ])('costs its own call only when %s', async (_what, execute, words) => {
    const { start, adopt } = await makeBench();
    const tools = await start();
    await adopt(tools, 'bad', makeFakeTool('bad', { execute }).tool);
    const outcome = await callOf(tools, 'bad');
    expect(outcome).toMatchObject({ ok: false, failure: 'tool-error' });
    expect(outcome.content).toContain(words);
    expect(namesOf(tools)).toEqual(['bad']);
  });

  it('may hang: the call ends with its time', async () => {
    const { start, adopt } = await makeBench();
    const tools = await start();
    const execute = () => makePromiseKit().promise;
    await adopt(tools, 'hung', makeFakeTool('hung', { execute }).tool);
    const outcome = await callOf(tools, 'hung', {}, (_delayMs, fire) => {
      void Promise.resolve().then(fire);
      return () => undefined;
    });
    expect(outcome).toMatchObject({ failure: 'timeout', effect: 'once' });
    expect(outcome.content).toContain('check before you repeat it');
  });

  it('may return presences, promises and too much: all shown, and bounded', async () => {
    const { start, adopt } = await makeBench();
    const tools = await start();
    const fake = makeFakeTool('odd', {
      execute: () => ({
        presence: makeNoTool(),
        promise: makePromiseKit().promise,
      }),
    });
    await adopt(tools, 'odd', fake.tool);
    expect((await callOf(tools, 'odd')).content).toBe(
      '{ presence: <Counter>, promise: <promise> }',
    );
    fake.behaviour.execute = () => 'x'.repeat(100_000_000);
    const { content } = await callOf(tools, 'odd');
    expect(content.length).toBeLessThan(33 * 1024);
    expect(content).toContain('[cut:');
  });
});

describe('adoption', () => {
  it.each([
    ['data', { type: 'function' }, 'it is data'],
    ['an object that is no tool', makeNoTool(), 'no FaeTool'],
    ['a schema that cannot be executed', makeHalfTool(), 'no method execute'],
    [
      'a tool whose schema throws',
      makeFakeTool('x', {
        schema: () => {
          throw Error('go away');
        },
      }).tool,
      'go away',
    ],
    [
      'a schema that is a text',
      makeFakeTool('x', { schema: () => 'nope' }).tool,
      'no record',
    ],
    [
      'a schema of a megabyte',
      makeFakeTool('x', {
        schema: () => schemaOf('x', { description: 'd'.repeat(1_000_000) }),
      }).tool,
      'characters',
    ],
    [
      'a schema with a promise in it',
      makeFakeTool('x', {
        schema: () => schemaOf('x', { parameters: Promise.resolve({}) }),
      }).tool,
      'no plain record',
    ],
    [
      'a schema with an object in it',
      makeFakeTool('x', {
        schema: () => schemaOf('x', { parameters: makeNoTool() }),
      }).tool,
      'because',
    ],
  ])('refuses %s, and names nothing', async (_what, value: unknown, words) => {
    const { start, adopt, guest } = await makeBench();
    const tools = await start();
    await expect(adopt(tools, 'x', value)).rejects.toThrow(words);
    expect(await guest.has(['tools'])).toBe(false);
    expect(namesOf(tools)).toEqual([]);
  });

  it('refuses what does not give its schema in time', async () => {
    const { start, adopt, guest, timers, hob } = await makeBench();
    const tools = await start();
    const schema = () => makePromiseKit().promise;
    const adoption = adopt(tools, 'x', makeFakeTool('x', { schema }).tool);
    const refused = expect(adoption).rejects.toThrow('within 10000 ms');
    await until(hob, () => timers.size > 0);
    for (const fire of timers) fire();
    await refused;
    expect(await guest.has(['tools'])).toBe(false);
  });

  it('gives no tool the name of a static one, nor two the same', async () => {
    const { start, adopt } = await makeBench();
    const tools = await start();
    for (const [petName, name] of [
      ['a', 'send'],
      ['b', 'list_messages'],
      ['c', 'greet'],
      ['d', 'greet'],
      ['e', 'Говорить!'],
      ['f', 'x'.repeat(200)],
    ] as const) {
      await adopt(tools, petName, makeFakeTool(name).tool);
    }
    expect(namesOf(tools)).toEqual([
      'send-2',
      'list_messages-2',
      'greet',
      'greet-2',
      'tool',
      'x'.repeat(64),
    ]);
    expect((await callOf(tools, 'greet-2')).content).toContain('"greet"');
  });

  it('keeps the names of tools when one of them goes', async () => {
    const { start, adopt, guest } = await makeBench();
    const tools = await start();
    await adopt(tools, 'a', makeFakeTool('greet').tool);
    await adopt(tools, 'b', makeFakeTool('greet').tool);
    await watchTools(guest, tools).remove(['tools', 'a']);
    tools.close();
    expect(namesOf(await start())).toEqual(['greet-2']);
  });

  it('replaces another tool only when it is told to', async () => {
    const { start, adopt } = await makeBench();
    const tools = await start();
    await adopt(tools, 'tool', makeFakeTool('old').tool);
    const next = makeFakeTool('new').tool;
    await expect(adopt(tools, 'tool', next)).rejects.toThrow('replace');
    expect(namesOf(tools)).toEqual(['old']);
    await adopt(tools, 'tool', next, { replace: true });
    expect(namesOf(tools)).toEqual(['new']);
    expect((await callOf(tools, 'new')).content).toContain('"new"');
  });

  it('done twice is done once', async () => {
    const { start, adopt, guest } = await makeBench();
    const tools = await start();
    const { tool } = makeFakeTool('greet');
    const first = await adopt(tools, 'greet', tool);
    expect(await adopt(tools, 'greet', tool)).toEqual(first);
    expect(await guest.list(['tools'])).toEqual(['greet']);
  });

  it('broken off before its record is made up for at the next start', async () => {
    const { start, adopt, guest, hob } = await makeBench();
    const tools = await start();
    const { tool } = makeFakeTool('greet');
    hob.control.failNext('storeValue');
    await expect(adopt(tools, 'greet', tool)).rejects.toThrow('storeValue');
    tools.close();
    const next = await start();
    expect(namesOf(next)).toEqual(['greet']);
    expect(await guest.has(['hob-tool-greet'])).toBe(true);
    await adopt(next, 'greet', tool);
    expect(namesOf(next)).toEqual(['greet']);
  });

  it('makes no tools/ where there is one, on a daemon that would replace it', async () => {
    const { start, adopt, guest } = await makeBench({ strict: false });
    const tools = await start();
    await adopt(tools, 'one', makeFakeTool('one').tool);
    await adopt(tools, 'two', makeFakeTool('two').tool);
    expect(await guest.list(['tools'])).toEqual(['one', 'two']);
  });
});

describe('what is in tools/ without a record', () => {
  const withTool = async (fake: FakeTool) => {
    const bench = await makeBench();
    await bench.guest.makeDirectory(['tools']);
    await bench.hob.put(['tools', 'found'], fake.tool);
    return bench;
  };

  it('is asked at the start, recorded, and not asked again', async () => {
    const fake = makeFakeTool('found');
    const { start } = await withTool(fake);
    const first = await start();
    expect(namesOf(first)).toEqual(['found']);
    first.close();
    expect(namesOf(await start())).toEqual(['found']);
    expect(fake.calls.schema).toBe(1);
  });

  it('is taken up when it is put there while the agent runs', async () => {
    const { start, hob, guest } = await withTool(makeFakeTool('found'));
    const tools = await start();
    await hob.put(['tools', 'later'], makeFakeTool('later').tool);
    await until(hob, () => namesOf(tools).length === 2);
    expect(namesOf(tools)).toEqual(['found', 'later']);
    await until(hob, () => hob.control.log.at(-1) !== 'lookup');
    expect(await guest.has(['hob-tool-later'])).toBe(true);
  });

  it('is withheld, with the reason in the log, when it hangs; others are not', async () => {
    const schema = () => makePromiseKit().promise;
    const { open, hob, timers, troubles } = await withTool(
      makeFakeTool('found', { schema }),
    );
    await hob.put(['tools', 'good'], makeFakeTool('good').tool);
    const tools = open();
    await tools.start();
    await until(hob, () => namesOf(tools).length === 1);
    expect(namesOf(tools)).toEqual(['good']);
    for (const fire of timers) fire();
    await tools.whenReady();
    expect(troubles).toEqual([
      'taking up tools/found: It is no FaeTool, because it did not give its schema within 10000 ms',
    ]);
  });
});

describe('a tool that changes', () => {
  it('under its name, with the same schema, is the same tool', async () => {
    const { start, adopt, guest, hob } = await makeBench();
    const tools = await start();
    await adopt(tools, 'greet', makeFakeTool('greet').tool);
    const next = makeFakeTool('greet', { execute: () => 'from the new one' });
    await hob.put(['new'], next.tool);
    await watchTools(guest, tools).copy(['new'], ['tools', 'greet']);
    expect((await callOf(tools, 'greet')).content).toBe('from the new one');
    // But not from him who sent the one before.
    expect(tools.source.entries()[0]?.schema.function.description).toContain(
      'from somebody, through your directory',
    );
  });

  it('under its name, with another schema, is withheld until it is adopted', async () => {
    const { start, adopt, guest, hob, troubles } = await makeBench();
    const tools = await start();
    await adopt(tools, 'greet', makeFakeTool('greet').tool);
    const next = makeFakeTool('destroy');
    await hob.put(['new'], next.tool);
    await watchTools(guest, tools).copy(['new'], ['tools', 'greet']);
    expect(namesOf(tools)).toEqual([]);
    expect((await callOf(tools, 'greet')).content).toContain('another schema');
    expect(troubles).toHaveLength(1);
    tools.close();
    const again = await start();
    expect(namesOf(again)).toEqual([]);
    await adopt(again, 'greet', next.tool);
    expect(namesOf(again)).toEqual(['destroy']);
  });

  it('its schema under the same id is found out when a call fails', async () => {
    const { start, adopt } = await makeBench();
    const tools = await start();
    const fake = makeFakeTool('greet');
    await adopt(tools, 'greet', fake.tool);
    fake.behaviour.schema = () => schemaOf('greet', { description: 'new' });
    await callOf(tools, 'greet');
    expect(fake.calls.schema).toBe(1);
    expect(namesOf(tools)).toEqual(['greet']);
    fake.behaviour.execute = () => Promise.reject(Error('other arguments'));
    expect((await callOf(tools, 'greet')).content).toContain('other arguments');
    expect(namesOf(tools)).toEqual([]);
    expect((await callOf(tools, 'greet')).content).toContain('not on offer');
  });

  it('is not called when something else has its name already', async () => {
    const { start, adopt, guest, hob } = await makeBench();
    const tools = await start();
    await adopt(tools, 'greet', makeFakeTool('greet').tool);
    const other = makeFakeTool('other');
    await hob.put(['other'], other.tool);
    const entry = tools.source.entries()[0];
    await guest.copy(['other'], ['tools', 'greet']);
    await expect(entry?.tool.execute({})).rejects.toThrow('not the tool');
    expect(other.calls.execute).toBe(0);
  });
});

describe('introduced tools', () => {
  it('are moved into tools/ at the start; the list goes, what is no tool stays', async () => {
    const { start, guest, hob, troubles } = await makeBench();
    await hob.put(['greet-tool'], makeFakeTool('greet').tool);
    await hob.put(['read-file'], makeFakeTool('readFile').tool);
    await hob.put(['counter'], makeNoTool());
    await hob.put(['other-tool'], makeFakeTool('other').tool);
    const introduced = harden(['greet-tool', 'read-file', 'counter', 'gone']);
    await guest.storeValue(introduced, ['hob-introduced']);
    const tools = await start();
    expect([...namesOf(tools)].sort()).toEqual(['greet', 'readFile']);
    expect(await guest.list(['tools'])).toEqual(['greet-tool', 'read-file']);
    expect(await guest.has(['greet-tool'])).toBe(false);
    expect(await guest.has(['counter'])).toBe(true);
    expect(await guest.has(['other-tool'])).toBe(true);
    expect(await guest.has(['hob-introduced'])).toBe(false);
    expect(troubles).toHaveLength(1);
    expect(troubles[0]).toContain('introducing counter');
  });

  it('are moved after a crash on the way too', async () => {
    const { start, guest, hob } = await makeBench();
    await hob.put(['a-tool'], makeFakeTool('a').tool);
    await hob.put(['b-tool'], makeFakeTool('b').tool);
    await guest.storeValue(harden(['a-tool', 'b-tool']), ['hob-introduced']);
    await guest.makeDirectory(['tools']);
    await guest.move(['a-tool'], ['tools', 'a-tool']);
    expect([...namesOf(await start())].sort()).toEqual(['a', 'b']);
  });
});

describe('with fifty adopted tools', () => {
  it('offering them, and one more, asks only what is new', async () => {
    const { start, adopt, hob } = await makeBench();
    const tools = await start();
    const fakes = Array.from({ length: 50 }, (_, index) =>
      makeFakeTool(`tool${index}`),
    );
    for (const [index, { tool }] of fakes.entries()) {
      await adopt(tools, `tool-${index}`, tool);
    }
    const registry = makeRegistry([], [tools.source]);
    const before = JSON.stringify(registry.schemas());
    hob.control.resetCalls();
    for (let turn = 0; turn < 10; turn += 1) registry.schemas();
    expect(hob.control.log).toEqual([]);
    await adopt(tools, 'last', makeFakeTool('last').tool);
    const after = JSON.stringify(registry.schemas());
    expect(after.startsWith(before.slice(0, -1))).toBe(true);
    expect(fakes.every(({ calls }) => calls.schema === 1)).toBe(true);
  });

  it('takes a hundred and no more', async () => {
    const { start, adopt, guest } = await makeBench();
    const tools = await start();
    for (let index = 0; index < 100; index += 1) {
      await adopt(tools, `t-${index}`, makeFakeTool(`t${index}x`).tool);
    }
    await expect(
      adopt(tools, 'over', makeFakeTool('over').tool),
    ).rejects.toThrow('100 adopted tools');
    expect(await guest.has(['tools', 'over'])).toBe(false);
  });
});
