import { spawn } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { E, Far } from '@endo/far';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  startWorker,
  type WorkerOptions,
  type WorkerProcess,
} from '../../../daemon/worker/worker-process.ts';

const fixture = (name: string): string =>
  new URL(`./fixtures/${name}`, import.meta.url).href;

const TIME = 20_000;

type Caplet = {
  readonly [
    method in
      | 'contextId'
      | 'descriptors'
      | 'env'
      | 'hang'
      | 'log'
      | 'names'
      | 'processEnv'
      | 'rejectUnheard'
      | 'throwLater'
  ]: (...args: readonly unknown[]) => Promise<unknown>;
};

/** Waits for what another process does; a test's own time limit ends it. */
const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await delay(10);
};

const isAlive = (pid: number): boolean => {
  try {
    // An ended process may still wait for its parent to take note of it.
    return !/^State:\s+Z/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe('a worker for proposed code', () => {
  let worker: WorkerProcess;
  const evaluate = async (
    source: string,
    bindings: Readonly<Record<string, unknown>> = {},
  ): Promise<unknown> =>
    worker.evaluate(
      source,
      Object.keys(bindings),
      Object.values(bindings),
      TIME,
    );

  beforeAll(() => {
    worker = startWorker({ label: 'shared', kind: 'confined' });
  });
  afterAll(async () => worker.stop('the tests are over'));

  it('evaluates with the values it is given', async () => {
    const counter = Far('Counter', { increment: (by: bigint) => 40n + by });
    expect(await evaluate('a + 1n', { a: 1n })).toBe(2n);
    expect(await evaluate('E(counter).increment(2n)', { counter })).toBe(42n);
    expect(await evaluate('it', { it: counter })).toBe(counter);
  });

  it('returns objects that answer', async () => {
    const source = `makeExo('Adder', M.interface('Adder', {
      add: M.call(M.bigint(), M.bigint()).returns(M.bigint()),
    }), { add(a, b) { return a + b; } })`;
    const adder = (await evaluate(source)) as {
      add: (a: unknown, b: unknown) => unknown;
    };
    expect(await E(adder).add(1n, 2n)).toBe(3n);
    await expect(E(adder).add('1', 2n)).rejects.toThrow('Must be a bigint');
  });

  it('has the globals that are promised, and hardened', async () => {
    const names =
      'E Far M makeExo TextEncoder TextDecoder URL console assert harden';
    for (const name of names.split(' ')) {
      expect(await evaluate(`typeof ${name}`), name).not.toBe('undefined');
      expect(await evaluate(`Object.isFrozen(${name})`), name).toBe(true);
    }
    expect(
      await evaluate(
        'Object.isFrozen(Object.getPrototypeOf(new URL("a:b").searchParams))',
      ),
    ).toBe(true);
    expect(
      await evaluate(
        'new TextDecoder().decode(new TextEncoder().encode(new URL("http://é/x").href))',
      ),
    ).toBe('http://xn--9ca/x');
  });

  it('has no ambient authority', async () => {
    const names =
      'process require module fetch setTimeout setInterval setImmediate queueMicrotask Buffer performance crypto WebSocket global navigator';
    for (const name of names.split(' ')) {
      expect(await evaluate(`typeof ${name}`), name).toBe('undefined');
      expect(await evaluate(`typeof globalThis.${name}`), name).toBe(
        'undefined',
      );
    }
    await expect(evaluate('Date.now()')).rejects.toThrow('secure mode');
    await expect(evaluate('new Date()')).rejects.toThrow('secure mode');
    await expect(evaluate('Math.random()')).rejects.toThrow('secure mode');
    await expect(
      evaluate('(() => {}).constructor("return process")()'),
    ).rejects.toThrow();
  });

  it('shares nothing between two evaluations', async () => {
    await evaluate('globalThis.left = 1');
    expect(await evaluate('typeof left')).toBe('undefined');
  });

  it('hands no power to an object that has itself printed', async () => {
    const source = `
      let leaked;
      console.log({ [Symbol.for('nodejs.util.inspect.custom')](...args) { leaked = args.length; } });
      leaked`;
    expect(await evaluate(source)).toBe(undefined);
  });

  it('reaches no inspection of Node, whose one function all code would share', async () => {
    const source = `
      const inspection = Symbol.for('nodejs.util.inspect.custom');
      const seen = new Set();
      const found = [];
      const visit = (value, path) => {
        if (Object(value) !== value || seen.has(value)) return;
        seen.add(value);
        if (Object.hasOwn(value, inspection)) found.push(path);
        visit(Object.getPrototypeOf(value), path + '.__proto__');
        const parts = Object.getOwnPropertyDescriptors(value);
        for (const key of Reflect.ownKeys(parts)) {
          const { value: part, get, set } = parts[key];
          for (const next of [part, get, set]) visit(next, path + '.' + String(key));
        }
      };
      const url = new URL('http://x/?a=b');
      const given = {
        E, Far, M, URL, TextEncoder, TextDecoder, assert, console, harden, makeExo,
        url, searchParams: url.searchParams, entries: url.searchParams.entries(),
        encoder: new TextEncoder(), decoder: new TextDecoder(), error: Error('x'), globalThis,
      };
      for (const name of Object.keys(given)) visit(given[name], name);
      harden({ found, size: seen.size })`;
    const { found, size } = (await evaluate(source)) as {
      readonly found: readonly string[];
      readonly size: number;
    };
    expect(found).toEqual([]);
    expect(size).toBeGreaterThan(300);
  });

  it.each([
    ['throw Error("the very words")', 'the very words'],
    ['Promise.reject(TypeError("late words"))', 'late words'],
    ['nothing.there', 'undefined'],
    ['1 +', 'Unexpected end of input'],
    ['"import(x)"', 'The source was not run: it contains import( (line 1)'],
    ['1;\n\n// eval(x)', 'The source was not run: it contains eval( (line 3)'],
    ['"<!--"', 'The source was not run: it contains <!-- or -->'],
    ['() => 1', 'The code ran, but what it came to cannot be passed on'],
    ['new Map()', 'The code ran, but what it came to cannot be passed on'],
  ])('rejects in words: %j', async (source, words) => {
    await expect(evaluate(source)).rejects.toThrow(words);
  });

  it('refuses names that code could not use, or that would hide a global', async () => {
    await expect(evaluate('1', { 'pet-name': 1 })).rejects.toThrow(
      '"pet-name" is not an identifier that code can use',
    );
    await expect(evaluate('1', { class: 1 })).rejects.toThrow('"class" is not');
    await expect(
      worker.evaluate('1', ['__proto__'], [1], TIME),
    ).rejects.toThrow('"__proto__" is not');
    await expect(evaluate('1', { E: 1 })).rejects.toThrow('"E" is taken');
    await expect(worker.evaluate('1', ['a'], [], TIME)).rejects.toThrow(
      'Each name needs one value',
    );
  });

  it('makes no caplets', async () => {
    await expect(
      worker.makeUnconfined(fixture('caplet.ts'), 1, 2, {}),
    ).rejects.toThrow('is confined and cannot make an unconfined caplet');
  });
});

describe('a worker process', () => {
  const workers: WorkerProcess[] = [];
  const start = (options: WorkerOptions): WorkerProcess => {
    const worker = startWorker(options);
    workers.push(worker);
    return worker;
  };
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop('done')));
  });

  it.each([
    'for (;;);',
    'new Promise(() => {})',
    'Promise.resolve().then(() => { for (;;); })',
  ])('is ended by the time limit: %s', async (source) => {
    const worker = start({ label: 'slow', kind: 'confined' });
    await worker.ready;
    const words =
      'worker "slow" was ended: an evaluation did not settle within 300 ms';
    let isGone = false;
    void worker.gone.then(() => {
      isGone = true;
    });
    await expect(worker.evaluate(source, [], [], 300)).rejects.toThrow(words);
    expect(isGone).toBe(true);
    expect((await worker.gone).message).toBe(words);
    await expect(worker.evaluate('1', [], [], 300)).rejects.toThrow(words);
  });

  it('is ended, and nothing else, when it takes too much memory', async () => {
    const worker = start({
      label: 'greedy',
      kind: 'confined',
      maxOldSpaceMb: 64,
    });
    const source = 'const all = []; for (;;) all.push(Array(1000).fill(1.5));';
    await expect(worker.evaluate(source, [], [], TIME)).rejects.toThrow(
      /worker "greedy" exited \(signal SIGABRT; it has 64 MiB of memory/u,
    );
  });

  it('makes an unconfined caplet with powers, context and its environment', async () => {
    const worker = start({
      label: 'agent',
      kind: 'unconfined',
      env: { ONLY: 'this' },
    });
    const powers = Promise.resolve(Far('Powers', { list: () => ['a', 'b'] }));
    const context = Far('Context', { id: () => 'the-id' });
    const caplet = (await worker.makeUnconfined(
      fixture('caplet.ts'),
      powers,
      context,
      { KEY: 'value' },
    )) as Caplet;

    expect(await E(caplet).env()).toEqual({ KEY: 'value' });
    expect(await E(caplet).names()).toEqual(['a', 'b']);
    expect(await E(caplet).contextId()).toBe('the-id');
    expect(await E(caplet).processEnv()).toEqual({ ONLY: 'this' });
  });

  it('does not pass its channel on to what a caplet starts', async () => {
    const worker = start({ label: 'agent', kind: 'unconfined' });
    const caplet = (await worker.makeUnconfined(
      fixture('caplet.ts'),
      1,
      2,
      {},
    )) as Caplet;
    const { channel, inherited } = (await E(caplet).descriptors()) as {
      channel: string;
      inherited: string;
    };
    expect(channel).toMatch(/^socket:/u);
    expect(inherited).not.toContain(channel);
  });

  it('says what is wrong with a module that is no caplet', async () => {
    const worker = start({ label: 'agent', kind: 'unconfined' });
    const make = async (specifier: string): Promise<unknown> =>
      worker.makeUnconfined(specifier, 1, 2, {});
    await expect(make(fixture('no-caplet.ts'))).rejects.toThrow(
      'exports no function "make"',
    );
    await expect(make(fixture('missing.ts'))).rejects.toThrow('missing.ts');
    await expect(make('node:fs')).rejects.toThrow('named by a file: URL');
    await expect(worker.evaluate('1', [], [], TIME)).rejects.toThrow(
      'is unconfined and cannot evaluate code',
    );
  });

  it('is noticed when it is killed, and what is pending rejects', async () => {
    const worker = start({ label: 'agent', kind: 'unconfined' });
    const caplet = (await worker.makeUnconfined(
      fixture('caplet.ts'),
      1,
      2,
      {},
    )) as Caplet;
    const pending = E(caplet).hang();
    process.kill(worker.pid, 'SIGKILL');

    await expect(pending).rejects.toThrow(
      'worker "agent" exited (signal SIGKILL)',
    );
    expect((await worker.gone).message).toBe(
      'worker "agent" exited (signal SIGKILL)',
    );
    await expect(E(caplet).hang()).rejects.toThrow('SIGKILL');
  });

  it('is stopped with the reason that is given', async () => {
    const worker = start({ label: 'agent', kind: 'unconfined' });
    await worker.ready;
    await worker.stop('the daemon stops');
    expect((await worker.gone).message).toBe(
      'worker "agent" was stopped: the daemon stops',
    );
    expect(isAlive(worker.pid)).toBe(false);
  });

  /** What is in the log of a confined worker when it ran the code. */
  const logOf = async (source: string): Promise<string> => {
    const directory = mkdtempSync(join(tmpdir(), 'hob-worker-'));
    const path = join(directory, 'log');
    const logFd = openSync(path, 'a');
    try {
      const worker = start({ label: 'noisy', kind: 'confined', logFd });
      await worker.evaluate(source, [], [], TIME);
      // What was not handled is logged before this is answered.
      await worker.evaluate('1', [], [], TIME);
      return readFileSync(path, 'utf8');
    } finally {
      closeSync(logFd);
      rmSync(directory, { recursive: true });
    }
  };

  it.each([
    "for (let i = 0; i < 300; i += 1) console.log('x'.repeat(10_000))",
    "for (let i = 0; i < 30_000; i += 1) console.log('')",
    "for (let i = 0; i < 3_000; i += 1) console.log('\\n'.repeat(1_000))",
    "Promise.reject(Error('y'.repeat(3_000_000))); 1",
  ])('cannot fill its log: %s', async (source) => {
    const { length } = await logOf(source);
    expect(length).toBeGreaterThan(0);
    expect(length).toBeLessThan(1_000_000);
  });

  it('cannot forge a line of its log', async () => {
    const log = await logOf(
      "console.log('first\\n2026-01-01T00:00:00.000Z ready at forged\\r2026')",
    );
    expect(log.split(/\r\n|\r|\n/u)).toEqual([
      expect.stringMatching(/^\S+Z worker noisy info: first$/u),
      '  2026-01-01T00:00:00.000Z ready at forged',
      '  2026',
      '',
    ]);
  });

  it('logs what nobody handles; an uncaught error ends it', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'hob-worker-'));
    const path = join(directory, 'log');
    const logFd = openSync(path, 'a');
    try {
      const worker = start({ label: 'agent', kind: 'unconfined', logFd });
      const caplet = (await worker.makeUnconfined(
        fixture('caplet.ts'),
        1,
        2,
        {},
      )) as Caplet;
      await E(caplet).log('aloud');
      await E(caplet).rejectUnheard();
      expect(await E(caplet).env()).toEqual({});
      await E(caplet).throwLater();
      expect((await worker.gone).message).toBe(
        'worker "agent" exited (code 1)',
      );

      const log = readFileSync(path, 'utf8');
      expect(log).toContain('worker agent info: the caplet says aloud');
      expect(log).toMatch(/a rejection was not handled.*nobody hears this/u);
      expect(log).toMatch(/the worker ends.*thrown out of the blue/u);
    } finally {
      closeSync(logFd);
      rmSync(directory, { recursive: true });
    }
  });

  it('ends when its parent is killed, also in an endless loop', async () => {
    const parent = spawn(
      process.execPath,
      [fileURLToPath(fixture('parent.ts'))],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pids = line.toString().trim().split(' ').map(Number);
    expect(pids.map(isAlive)).toEqual([true, true]);
    parent.kill('SIGKILL');

    await until(() => !pids.some(isAlive));
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});
