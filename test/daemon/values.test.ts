import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { E, Far } from '@endo/far';
import { M } from '@endo/patterns';
import { makeTagged } from '@endo/pass-style';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type TestDaemon,
} from '../support/daemon.ts';

const values: Record<string, unknown> = {
  text: 'plain',
  empty: '',
  bracket: '[1, 2',
  hash: '#"Quoted"',
  plus: '+5',
  minus: '-5',
  bang: '!x',
  dollar: '$0.Alleged',
  percent: '%d',
  at: '@edge',
  unicode: 'naïve – 猫 \u0000 \ud83d\ude00 \n\t"',
  big: 12345678901234567890n,
  negative: -3n,
  number: 1.5,
  nan: NaN,
  infinity: -Infinity,
  nothing: undefined,
  none: null,
  yes: true,
  array: [1, [2n, [undefined, 'three']], []],
  record: { a: { b: { c: [{ d: '[' }] } }, '#x': 1, 'two words': null },
  tagged: makeTagged('unit', [1n, 'm']),
};

let daemon: TestDaemon;
let host: FarHost;

const connect = async (): Promise<void> => {
  ({ host } = await daemon.client());
};

beforeAll(async () => {
  daemon = await startTestDaemon();
  await connect();
});
afterAll(() => daemon.stop());

describe('stored values', () => {
  it('are identical at once and after a restart, whatever they are', async () => {
    await E(host).makeDirectory('values');
    for (const [key, value] of Object.entries(values)) {
      await E(host).storeValue(harden(value), ['values', key]);
      await expect(E(host).lookup(['values', key])).resolves.toEqual(value);
    }
    await daemon.restart();
    await connect();
    for (const [key, value] of Object.entries(values)) {
      await expect(E(host).lookup(['values', key])).resolves.toEqual(value);
    }
  });

  it('may be errors, and stay errors', async () => {
    await E(host).storeValue(
      harden({ cause: TypeError('was not a cat') }),
      'failure',
    );
    await daemon.restart();
    await connect();
    const { cause } = (await E(host).lookup('failure')) as { cause: Error };
    expect(cause).toBeInstanceOf(TypeError);
    expect(cause.message).toBe('was not a cat');
  });

  it('may hold objects that the daemon knows, at any depth', async () => {
    const guest = await E(host).provideGuest('held', {
      agentName: 'held-agent',
    });
    await E(host).storeValue(
      harden({ deep: [{ guest }], self: host }),
      'holder',
    );
    await daemon.restart();
    await connect();
    const again = await E(host).lookup('held-agent');
    const holder = (await E(host).lookup('holder')) as {
      deep: [{ guest: unknown }];
      self: unknown;
    };
    expect(holder.deep[0].guest).toBe(again);
    expect(holder.self).toBe(host);
  });

  it('keep what they hold from being collected', async () => {
    await E(host).makeDirectory('inner');
    const inner = await E(host).lookup('inner');
    await E(host).storeValue('kept', ['inner', 'x']);
    await E(host).storeValue(harden({ inner }), 'box');
    await E(host).remove('inner');
    const { inner: kept } = (await E(host).lookup('box')) as {
      inner: FarGuest;
    };
    await expect(E(kept).lookup('x')).resolves.toBe('kept');
  });

  it('are refused with the place of what cannot be kept', async () => {
    const stranger = Far('Stranger', {});
    await expect(
      E(host).storeValue(harden({ a: [1, stranger] }), 'bad'),
    ).rejects.toThrow('Cannot store the remote object at value.a[1]');
    await expect(
      E(host).storeValue(harden({ p: Promise.resolve(1) }), 'bad'),
    ).rejects.toThrow('Cannot store the promise at value.p');
    await expect(E(host).has('bad')).resolves.toBe(false);
  });

  it('may be long strings, up to the frame', async () => {
    const long = '['.repeat(900_000);
    await E(host).storeValue(long, 'long');
    await expect(E(host).lookup('long')).resolves.toBe(long);
  });

  it('may be patterns', async () => {
    await E(host).storeValue(M.splitRecord({ a: M.string() }), 'pattern');
    await expect(E(host).lookup('pattern')).resolves.toEqual(
      M.splitRecord({ a: M.string() }),
    );
  });
});

describe('what nothing names any more', () => {
  const countRows = (sql: string, ...args: string[]): number => {
    const database = new DatabaseSync(join(daemon.statePath, 'hob.sqlite'));
    const row = database.prepare(sql).get(...args);
    database.close();
    return Number(row?.['n']);
  };
  const formulas = (id: string): number =>
    countRows('SELECT count(*) AS n FROM formulas WHERE id = ?', id);

  it('is deleted: overwritten values, removed directories with all in them, guests', async () => {
    await E(host).storeValue('old-secret', 'overwritten');
    const old = (await E(host).identify('overwritten')) as string;
    await E(host).storeValue('new', 'overwritten');
    await E(host).makeDirectory('tree');
    await E(host).storeValue('leaf', ['tree', 'leaf']);
    const leaf = (await E(host).identify('tree', 'leaf')) as string;
    await E(host).remove('tree');
    await E(host).provideGuest('leaver', { agentName: 'leaver-agent' });
    await E(host).storeValue('note', ['leaver-agent', 'note']);
    const guest = (await E(host).identify('leaver-agent')) as string;
    const note = (await E(host).identify('leaver-agent', 'note')) as string;
    await E(host).remove('leaver');
    const kept = (await E(host).identify('leaver-agent')) as string;
    expect(kept).toBe(guest);
    await E(host).remove('leaver-agent');
    await expect(E(host).lookupById(old)).rejects.toThrow(
      /There is no value with the id/,
    );
    await daemon.kill9();
    for (const id of [old, leaf, guest, note]) expect(formulas(id)).toBe(0);
    await daemon.restart();
    await connect();
  });

  it('and lived without a name is deleted at the next start', async () => {
    const guest = (await E(host).provideGuest()) as FarGuest;
    const id = (await E(guest).identify('AGENT')) as string;
    await expect(E(host).lookupById(id)).resolves.toBe(guest);
    await daemon.restart();
    await connect();
    await expect(E(host).lookupById(id)).rejects.toThrow(
      /There is no value with the id/,
    );
  });
});

describe('the state directory', () => {
  it('belongs to its owner alone', () => {
    const mode = (name: string): number =>
      statSync(join(daemon.statePath, name)).mode & 0o777;
    expect(mode('.')).toBe(0o700);
    expect(mode('hob.sqlite')).toBe(0o600);
    expect(mode('hob.sqlite-wal')).toBe(0o600);
    expect(mode('hob.sock')).toBe(0o600);
  });
});
