import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type FarIterator,
  type TestDaemon,
} from '../support/daemon.ts';

const COUNTER = new URL('fixtures/counter.js', import.meta.url).href;
const STUBBORN = new URL('fixtures/stubborn.js', import.meta.url).href;

type Counter = {
  readonly [
    name in
      'increment' | 'pid' | 'env' | 'id' | 'names' | 'crash' | 'cancelMyself'
  ]: () => Promise<unknown>;
};

let daemon: TestDaemon;
let host: FarHost;
let guest: FarGuest;

const connect = async (): Promise<void> => {
  ({ host } = await daemon.client());
  guest = (await E(host).provideGuest('owner', {
    agentName: 'owner-agent',
  })) as FarGuest;
};
const makeCounter = async (
  resultName: string,
  env?: Record<string, string>,
): Promise<Counter> =>
  (await E(host).makeUnconfined(undefined, COUNTER, {
    powersName: 'owner-agent',
    resultName,
    ...(env === undefined ? {} : { env }),
  })) as Counter;
const lookup = async (name: string): Promise<Counter> =>
  (await E(host).lookup(name)) as Counter;

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process: that is the answer.
    return false;
  }
};
/** Resolves when the owner's name has this value, however long it takes. */
const whenNamed = async (name: string, value: unknown): Promise<void> => {
  const iterator = (await E(guest).followNameChanges()) as FarIterator;
  for (;;) {
    await E(iterator).next();
    if ((await E(guest).has(name)) && (await E(guest).lookup(name)) === value)
      return;
  }
};
const until = async (
  condition: () => boolean | Promise<boolean>,
): Promise<void> => {
  while (!(await condition())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
};

beforeAll(async () => {
  daemon = await startTestDaemon({ env: { HOB_EVAL_TIMEOUT_MS: '4000' } });
  await connect();
});
afterAll(() => daemon.stop());

describe('an unconfined caplet', () => {
  it('has the powers it was given, its environment and its id', async () => {
    await E(host).storeValue('mine', ['owner-agent', 'own-name']);
    const counter = await makeCounter('counter', { TOKEN: '#1' });
    await expect(E(counter).increment()).resolves.toBe(1n);
    await expect(E(counter).env()).resolves.toEqual({ TOKEN: '#1' });
    await expect(E(counter).id()).resolves.toBe(
      await E(host).identify('counter'),
    );
    await expect(E(counter).names()).resolves.toContain('own-name');
    expect(await lookup('counter')).toBe(counter);
    await expect(E(host).reverseLookup(counter)).resolves.toEqual(['counter']);
  });

  it('is made anew after a restart, by its name', async () => {
    await makeCounter('again', { A: 'b' });
    await daemon.kill9();
    await daemon.restart();
    await connect();
    const counter = await lookup('again');
    await expect(E(counter).increment()).resolves.toBe(1n);
    await expect(E(counter).env()).resolves.toEqual({ A: 'b' });
  });

  it('runs beside those of its agent, and apart from others and from the daemon', async () => {
    const [one, two] = [await makeCounter('one'), await makeCounter('two')];
    const pid = await E(one).pid();
    await expect(E(two).pid()).resolves.toBe(pid);
    const other = (await E(host).makeUnconfined(undefined, COUNTER, {
      powersName: 'AGENT',
      resultName: 'of-host',
    })) as Counter;
    await expect(E(other).pid()).resolves.not.toBe(pid);
    const apart = (await E(host).makeUnconfined('separate', COUNTER, {
      powersName: 'owner-agent',
      resultName: 'apart',
    })) as Counter;
    await expect(E(apart).pid()).resolves.not.toBe(pid);
    expect(pid).not.toBe(daemon.pid());
  });

  it('that is overwritten is ended, and its environment deleted', async () => {
    await makeCounter('renewed', { TOKEN: 'old' });
    const old = await E(host).identify('renewed');
    const ended = whenNamed(
      'last-words',
      'ended: cancelled: nothing names it any more',
    );
    const next = await makeCounter('renewed', { TOKEN: 'new' });
    await ended;
    await expect(E(next).env()).resolves.toEqual({ TOKEN: 'new' });
    await expect(E(host).lookupById(old)).rejects.toThrow(/There is no value/);
  });

  it('that is cancelled hears why, and is made anew when it is looked up', async () => {
    const counter = await makeCounter('victim');
    await E(counter).increment();
    const ended = whenNamed('last-words', 'ended: time to go');
    await E(host).cancel('victim', 'time to go');
    await ended;
    const fresh = await lookup('victim');
    expect(fresh).not.toBe(counter);
    await expect(E(fresh).increment()).resolves.toBe(1n);
  });

  it('can cancel itself', async () => {
    const counter = await makeCounter('tired');
    const ended = whenNamed('last-words', 'ended: had enough');
    await E(counter).cancelMyself();
    await ended;
    expect(await lookup('tired')).not.toBe(counter);
  });

  it('that ignores its cancellation is ended with its worker', async () => {
    await E(host).provideGuest('stubborn', { agentName: 'stubborn-agent' });
    const stubborn = (await E(host).makeUnconfined(undefined, STUBBORN, {
      powersName: 'stubborn-agent',
      resultName: 'stubborn-caplet',
    })) as Counter;
    const pid = (await E(stubborn).pid()) as number;
    await E(host).cancel('stubborn-caplet');
    const fresh = await lookup('stubborn-caplet');
    await expect(E(fresh).pid()).resolves.not.toBe(pid);
    await until(() => !isAlive(pid));
    await expect(E(fresh).pid()).resolves.toBeTypeOf('number');
  });

  it('whose worker dies takes nothing else down', async () => {
    const counter = await makeCounter('fragile');
    const other = await lookup('of-host');
    await E(counter).crash();
    await until(async () => (await lookup('fragile')) !== counter);
    await expect(E(await lookup('fragile')).increment()).resolves.toBe(1n);
    await expect(E(other).pid()).resolves.toBeTypeOf('number');
    await expect(E(host).lookup('own-name')).rejects.toThrow(
      'No value is named',
    );
  });

  it('needs a file: URL, powers that exist and an environment of strings', async () => {
    await expect(
      E(host).makeUnconfined(undefined, 'lodash', {}),
    ).rejects.toThrow('file: URL');
    await expect(
      E(host).makeUnconfined(undefined, COUNTER, { powersName: 'nobody' }),
    ).rejects.toThrow('No value is named "nobody"');
    await expect(
      E(host).makeUnconfined(undefined, COUNTER, {
        powersName: 'NONE',
        env: { A: undefined },
      }),
    ).rejects.toThrow(/makeUnconfined.*env/);
    await expect(
      E(host).makeUnconfined(undefined, `${COUNTER}.missing`, {
        powersName: 'NONE',
      }),
    ).rejects.toThrow(/counter\.js\.missing/);
  });
});

describe('a pinned caplet', () => {
  it('comes back by itself after a restart and after its worker was killed', async () => {
    const counter = await makeCounter('pinned');
    await E(host).copy(['pinned'], ['PINS', 'pinned']);
    const marker = new URL('fixtures/announcer.js', import.meta.url).href;
    await E(host).makeUnconfined(undefined, marker, {
      powersName: 'owner-agent',
      resultName: 'announcer',
    });
    await E(host).copy(['announcer'], ['PINS', 'announcer']);
    await expect(E(counter).increment()).resolves.toBe(1n);

    await E(guest).remove('announced');
    const killed = (await E(counter).pid()) as number;
    process.kill(killed, 'SIGKILL');
    await until(async () => (await E(guest).has('announced')) === true);

    await E(guest).remove('announced');
    await daemon.restart();
    await connect();
    await until(async () => (await E(guest).has('announced')) === true);
  });
});

describe('evaluate', () => {
  const evaluate = async (
    source: string,
    resultName?: string,
  ): Promise<unknown> =>
    E(host).evaluate(
      undefined,
      source,
      [],
      [],
      ...(resultName === undefined ? [] : [resultName]),
    );

  it('runs code with the values that were named', async () => {
    await E(host).storeValue(20n, 'twenty');
    await expect(
      E(host).evaluate(
        'MAIN',
        'x + 1n + y',
        ['x', 'y'],
        ['twenty', ['twenty']],
      ),
    ).resolves.toBe(41n);
  });

  it('keeps data as data, which comes back without the code running again', async () => {
    await evaluate('harden({ list: [1n, "[", undefined] })', 'data');
    await expect(E(host).locate('data')).resolves.toMatch(/type=marshal$/);
    await daemon.restart();
    await connect();
    await expect(E(host).lookup('data')).resolves.toEqual({
      list: [1n, '[', undefined],
    });
  });

  it('keeps objects as the code that makes them', async () => {
    const source = 'let n = 0; Far("Ticker", { tick: () => (n += 1) })';
    const ticker = (await evaluate(source, 'ticker')) as {
      tick: () => Promise<unknown>;
    };
    await E(ticker).tick();
    await expect(E(ticker).tick()).resolves.toBe(2);
    await expect(E(host).locate('ticker')).resolves.toMatch(/type=eval$/);
    expect(await E(host).lookup('ticker')).toBe(ticker);
    await E(host).storeValue(harden({ ticker }), 'with-ticker');
    await daemon.restart();
    await connect();
    const again = (await E(host).lookup('ticker')) as {
      tick: () => Promise<unknown>;
    };
    await expect(E(again).tick()).resolves.toBe(1);
    expect(await E(host).lookup('with-ticker')).toEqual({ ticker: again });
  });

  it('gives back an object that it was given under its own id', async () => {
    await E(host).evaluate(undefined, 'it', ['it'], ['owner-agent'], 'same');
    await expect(E(host).identify('same')).resolves.toBe(
      await E(host).identify('owner-agent'),
    );
  });

  it('passes on what the code throws, and names nothing', async () => {
    await expect(
      evaluate('throw RangeError("too much")', 'thrown'),
    ).rejects.toThrow('too much');
    await expect(E(host).has('thrown')).resolves.toBe(false);
  });

  it('ends code that does not settle, and only that', async () => {
    const counter = await lookup('of-host');
    await expect(evaluate('new Promise(() => {})')).rejects.toThrow(
      /did not settle within 4000 ms/,
    );
    await expect(evaluate('for (;;) {}')).rejects.toThrow(/4000 ms/);
    await expect(evaluate('6 * 7')).resolves.toBe(42);
    await expect(E(counter).pid()).resolves.toBeTypeOf('number');
  });

  it('never runs in the process of a caplet', async () => {
    await E(host).provideWorker('shared');
    const caplet = (await E(host).makeUnconfined('shared', COUNTER, {
      powersName: 'NONE',
      resultName: 'in-shared',
    })) as Counter;
    await expect(
      E(host).evaluate('shared', 'typeof process', [], []),
    ).resolves.toBe('undefined');
    await expect(E(caplet).increment()).resolves.toBe(1n);
    await E(host).cancel('shared');
    expect(await lookup('in-shared')).not.toBe(caplet);
  });

  it('says what is wrong with its names', async () => {
    await expect(E(host).evaluate(undefined, '1', ['a'], [])).rejects.toThrow(
      '1 code names and 0 pet names',
    );
    await expect(
      E(host).evaluate(undefined, '1', ['a b'], ['twenty']),
    ).rejects.toThrow('The code name "a b" is not an identifier');
    await expect(E(host).evaluate('twenty', '1', [], [])).rejects.toThrow(
      '"twenty" is not a worker but a value of the kind marshal',
    );
  });
});
