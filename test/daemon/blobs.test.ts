import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { E } from '@endo/far';
import { Far } from '@endo/pass-style';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarHost,
  type TestDaemon,
} from '../support/daemon.ts';
import { until } from './processes.ts';

type Step = { readonly done: boolean; readonly value: string | undefined };
type FarBlob = {
  readonly sha512: () => Promise<string>;
  readonly text: () => Promise<string>;
  readonly json: () => Promise<unknown>;
  readonly help: () => Promise<string>;
  readonly streamBase64: () => Promise<{ next: () => Promise<Step> }>;
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

/** A far iterator over these, as a client makes one. */
const makeReader = (pieces: readonly unknown[]) => {
  const rest = [...pieces];
  const state = { returned: false };
  const reader = Far('Reader', {
    next: () =>
      Promise.resolve(
        harden(
          rest.length === 0
            ? { done: true, value: undefined }
            : { done: false, value: rest.shift() },
        ),
      ),
    return: () => {
      state.returned = true;
      return Promise.resolve(harden({ done: true, value: undefined }));
    },
  });
  return { reader, state };
};

const base64 = (text: string | Uint8Array): string =>
  Buffer.from(text).toString('base64');

const store = (pieces: readonly unknown[], name?: string): Promise<FarBlob> =>
  E(host).storeBlob(makeReader(pieces).reader, name) as Promise<FarBlob>;

const readAll = async (blob: FarBlob): Promise<Buffer> => {
  const stream = await E(blob).streamBase64();
  const pieces: Buffer[] = [];
  for (;;) {
    const { done, value } = await E(stream).next();
    if (done) return Buffer.concat(pieces);
    pieces.push(Buffer.from(value ?? '', 'base64'));
  }
};

describe('a blob', () => {
  it('is text, bytes and a hash, also after a restart', async () => {
    const text = 'Füße — 10 €';
    await store([base64(text.slice(0, 4)), base64(text.slice(4))], 'note');
    await daemon.restart();
    await connect();
    const blob = (await E(host).lookup('note')) as FarBlob;
    await expect(E(blob).text()).resolves.toBe(text);
    expect((await readAll(blob)).toString()).toBe(text);
    await expect(E(blob).sha512()).resolves.toBe(
      createHash('sha512').update(text).digest('hex'),
    );
    await expect(E(blob).help()).resolves.toContain('streamBase64()');
    await expect(E(host).locate('note')).resolves.toMatch(
      /&type=readable-blob$/u,
    );
  });

  it('is read in pieces, none of them longer than 128 KiB', async () => {
    const bytes = Buffer.alloc(300_001, 'abcdefg');
    const blob = await store([base64(bytes)], 'long');
    const stream = await E(blob).streamBase64();
    const first = await E(stream).next();
    expect(first.value?.length).toBeLessThanOrEqual(128 * 1024);
    expect((await readAll(blob)).equals(bytes)).toBe(true);
  });

  it('lies in rows that are read one by one, and goes with its last name', async () => {
    const bytes = Buffer.alloc(200_000, 'abcdefg');
    // In pieces that fit no row.
    const pieces = [7, 150_000, 0, 49_993].map((length, index, all) => {
      const start = all.slice(0, index).reduce((sum, each) => sum + each, 0);
      return base64(bytes.subarray(start, start + length));
    });
    const blob = await store(pieces, 'rows');
    expect((await readAll(blob)).equals(bytes)).toBe(true);
    const id = await E(host).identify('rows');
    const lengths = async (): Promise<unknown[]> => {
      // Whoever else wants to read it has to wait until the daemon is gone.
      await daemon.kill9();
      const file = new DatabaseSync(join(daemon.statePath, 'hob.sqlite'));
      const rows = file
        .prepare(
          'SELECT length(bytes) AS n FROM blob_chunks WHERE id = ? ORDER BY number',
        )
        .all(id as string);
      file.close();
      await daemon.restart();
      await connect();
      return rows.map(({ n }) => n);
    };
    expect(await lengths()).toEqual([98_304, 98_304, 3_392]);
    await E(host).remove('rows');
    expect(await lengths()).toEqual([]);
  });

  it('may be empty', async () => {
    const blob = await store([]);
    await expect(E(blob).text()).resolves.toBe('');
    expect(await readAll(blob)).toHaveLength(0);
  });

  it('is read as JSON, or says that it is none', async () => {
    const good = await store([base64('{"a":[1,2]}')]);
    await expect(E(good).json()).resolves.toEqual({ a: [1, 2] });
    const bad = await store([base64('{')]);
    await expect(E(bad).json()).rejects.toThrow('The blob is not JSON');
  });

  it('travels with mail and in stored values, as itself', async () => {
    const blob = await store([base64('inside')], 'held');
    await E(host).storeValue(harden({ blob }), 'holder');
    await E(host).remove('held');
    const { blob: again } = (await E(host).lookup('holder')) as {
      readonly blob: FarBlob;
    };
    await expect(E(again).text()).resolves.toBe('inside');
  });

  it('of more than 2 MiB is no text, and says how to read it', async () => {
    const blob = await store([base64(Buffer.alloc(2 * 1024 * 1024 + 1, 'x'))]);
    await expect(E(blob).text()).rejects.toThrow(
      'The blob has 2097153 bytes, and only up to 2097152 can be had as one text; read it with streamBase64',
    );
    const fits = await store([base64(Buffer.alloc(2 * 1024 * 1024, 0))]);
    expect(await E(fits).text()).toHaveLength(2 * 1024 * 1024);
  });

  it('of more than 32 MiB is refused, with the limit, and its reader let go', async () => {
    const piece = base64(Buffer.alloc(3 * 1024 * 1024));
    const { reader, state } = makeReader(Array(11).fill(piece));
    await expect(E(host).storeBlob(reader, 'huge')).rejects.toThrow(
      'storeBlob takes up to 32 MiB (33554432 bytes), and this has more',
    );
    expect(state.returned).toBe(true);
    await expect(E(host).has('huge')).resolves.toBe(false);
  });

  it.each([
    ['no base64', 'not base64!'],
    ['not padded', 'abc'],
    ['no string', 5n],
  ])('is refused when a piece is %s', async (_what, piece) => {
    await expect(store([base64('fine'), piece], 'bad')).rejects.toThrow(
      /storeBlob takes an iterator of strings in base64, and piece 1 is/u,
    );
    await expect(E(host).has('bad')).resolves.toBe(false);
  });

  it('is refused before it is read when its name has no place', async () => {
    const { reader, state } = makeReader([base64('x')]);
    await expect(
      E(host).storeBlob(reader, ['nowhere', 'note']),
    ).rejects.toThrow('"nowhere"');
    expect(state.returned).toBe(true);
  });

  it('is refused when it comes in pieces without end', async () => {
    const reader = Far('Reader', {
      next: () => Promise.resolve(harden({ done: false, value: '' })),
    });
    await expect(E(host).storeBlob(reader, 'endless')).rejects.toThrow(
      'storeBlob takes up to 16384 pieces, and this has more. Nothing was stored',
    );
  });

  it('is refused quietly when its reader cannot even be let go', async () => {
    const reader = Far('Reader', {
      next: () => Promise.resolve(harden({ done: false, value: 1n })),
      // Not an error: whoever wrote the reader decides.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      return: () => Promise.reject('no'),
    });
    await expect(E(host).storeBlob(reader, 'bad')).rejects.toThrow('piece 0');
    await E(host).has('bad');
    const before = daemon.log().length;
    await daemon.restart();
    await connect();
    // By then all that it wrote before has been read.
    await until(() => daemon.log().slice(before).includes('stopping'));
    expect(daemon.log()).not.toContain('unhandled rejection');
  });

  it('is refused when its reader fails, with the reason', async () => {
    const reader = Far('Reader', {
      next: () => Promise.reject(Error('the disk is gone')),
    });
    await expect(E(host).storeBlob(reader, 'broken')).rejects.toThrow(
      'the disk is gone',
    );
    await expect(E(host).storeBlob('text', 'broken')).rejects.toThrow(
      /storeBlob/u,
    );
  });
});
