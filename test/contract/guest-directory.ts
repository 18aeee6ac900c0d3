import { expect, it } from 'vitest';
import type { OpenWorld } from './world.ts';
import { take, takeUntil } from './world.ts';

/** What every guest's directory does. */
export const itKeepsNames = (
  open: () => OpenWorld,
  { strict }: { readonly strict: boolean },
): void => {
  it('finds a stored value under its name', async () => {
    const { guest } = open();
    await guest.storeValue('hello', ['greeting']);
    expect(await guest.has(['greeting'])).toBe(true);
    expect(await guest.lookup(['greeting'])).toBe('hello');
    expect(await guest.list([])).toContain('greeting');
  });

  it('has, identifies and finds nothing under an unknown name', async () => {
    const { guest } = open();
    expect(await guest.has(['nothing'])).toBe(false);
    expect(await guest.identify(['nothing'])).toBeUndefined();
    await expect(guest.lookup(['nothing'])).rejects.toThrow('nothing');
    await expect(guest.remove(['nothing'])).rejects.toThrow('nothing');
    await expect(guest.move(['nothing'], ['x'])).rejects.toThrow('nothing');
    await expect(guest.copy(['nothing'], ['x'])).rejects.toThrow('nothing');
  });

  it.each([
    ['a number', 1.5],
    ['a large BigInt', 123_456_789_012_345_678_901_234_567_890n],
    ['a negative BigInt', -5n],
    ['undefined', undefined],
    ['null', null],
    ['NaN', NaN],
    ['Infinity', -Infinity],
    ['yes', true],
    ['the empty string', ''],
    ['a string that begins with [', '[1, 2]'],
    ['a string that begins with {', '{"a": 1}'],
    ['a string that begins with #', '#undefined'],
    ['a string that begins with +', '+5'],
    ['a string that begins with -', '-5'],
    ['a string that begins with !', '!important'],
    ['a string that begins with $', '$0.Alleged: x'],
    ['a string that begins with %', '%d'],
    ['a string that begins with &', '&0'],
    ['text of many languages', 'naïve Привет 世界 👩‍👩‍👧 \u2028 \0'],
    ['an empty record', {}],
    ['an empty list', []],
    ['nested data', { a: [1n, { b: undefined }, ['#x', NaN]], '#c': null }],
    ['a long text', 'x'.repeat(150_000)],
    ['a long list', Array.from({ length: 12_000 }, (_, index) => index)],
    [
      'a record of many properties',
      Object.fromEntries(
        Array.from({ length: 100 }, (_, index) => [`key${index}`, index]),
      ),
    ],
  ])('keeps %s as it is', async (_what, value: unknown) => {
    const { guest } = open();
    await guest.storeValue(value, ['value']);
    expect(await guest.lookup(['value'])).toEqual(value);
  });

  it('keeps an error with its message', async () => {
    const { guest } = open();
    await guest.storeValue(harden(new TypeError('no such thing')), ['error']);
    const error = await guest.lookup(['error']);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toBe('no such thing');
  });

  it('keeps references within a value to what they were', async () => {
    const { guest } = open();
    await guest.makeDirectory(['folder']);
    const folder = await guest.lookup(['folder']);
    await guest.storeValue({ parts: [folder] }, ['value']);
    const value = await guest.lookup(['value']);
    expect((value as { parts: unknown[] }).parts[0]).toBe(folder);
  });

  it.each([
    ['a promise', () => Promise.resolve(1)],
    ['a function', () => () => 1],
    ['a Date', () => new Date(0)],
    ['a Map', () => new Map()],
    ['bytes', () => new Uint8Array(2)],
  ])('refuses to store %s', async (_what, makeValue: () => unknown) => {
    const { guest } = open();
    await expect(
      Promise.resolve().then(() => guest.storeValue(makeValue(), ['value'])),
    ).rejects.toThrow();
    expect(await guest.has(['value'])).toBe(false);
  });

  it('gives a name its new value when something else is stored there', async () => {
    const { guest } = open();
    await guest.storeValue('old', ['value']);
    await guest.storeValue('new', ['value']);
    expect(await guest.lookup(['value'])).toBe('new');
  });

  it('copies by identity', async () => {
    const { guest } = open();
    await guest.storeValue({ a: 1 }, ['first']);
    await guest.copy(['first'], ['second']);
    const id = await guest.identify(['first']);
    expect(id).toEqual(expect.any(String));
    expect(await guest.identify(['second'])).toBe(id);
    const names = await guest.reverseIdentify(id ?? '');
    expect([...names].sort()).toEqual(['first', 'second']);
  });

  it('finds no name for an id that it has not', async () => {
    const { guest, host, world } = open();
    const id = await host.identify([world.otherName]);
    expect(await guest.reverseIdentify(id ?? '')).toEqual(['peer']);
    await guest.remove(['peer']);
    expect(await guest.reverseIdentify(id ?? '')).toEqual([]);
  });

  it('moves a value to another name', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['from']);
    const id = await guest.identify(['from']);
    await guest.move(['from'], ['to']);
    expect(await guest.has(['from'])).toBe(false);
    expect(await guest.identify(['to'])).toBe(id);
    expect(await guest.lookup(['to'])).toBe('v');
  });

  it('keeps a value that is moved onto its own name', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['here']);
    await guest.move(['here'], ['here']);
    expect(await guest.lookup(['here'])).toBe('v');
  });

  it('forgets a removed name only', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['first']);
    await guest.copy(['first'], ['second']);
    await guest.remove(['first']);
    expect(await guest.has(['first'])).toBe(false);
    expect(await guest.lookup(['second'])).toBe('v');
  });

  it('keeps names in directories within directories', async () => {
    const { guest } = open();
    await guest.makeDirectory(['a']);
    await guest.makeDirectory(['a', 'b']);
    await guest.storeValue('deep', ['a', 'b', 'c']);
    expect(await guest.list(['a'])).toEqual(['b']);
    expect(await guest.list(['a', 'b'])).toEqual(['c']);
    expect(await guest.lookup(['a', 'b', 'c'])).toBe('deep');
    expect(await guest.has(['a', 'b', 'c'])).toBe(true);
    expect(await guest.has(['a', 'b', 'd'])).toBe(false);
    expect(await guest.identify(['a', 'b', 'd'])).toBeUndefined();
    expect(await guest.has(['c'])).toBe(false);
  });

  it('moves and copies between directories', async () => {
    const { guest } = open();
    await guest.makeDirectory(['a']);
    await guest.makeDirectory(['b']);
    await guest.storeValue('v', ['a', 'one']);
    const id = await guest.identify(['a', 'one']);
    await guest.copy(['a', 'one'], ['b', 'two']);
    await guest.move(['a', 'one'], ['three']);
    await guest.move(['b', 'two'], ['b', 'four']);
    expect(await guest.list(['a'])).toEqual([]);
    expect(await guest.list(['b'])).toEqual(['four']);
    expect(await guest.identify(['three'])).toBe(id);
    expect(await guest.identify(['b', 'four'])).toBe(id);
    await guest.remove(['b', 'four']);
    expect(await guest.list(['b'])).toEqual([]);
  });

  it('refuses a path through what is not there or no directory', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['value']);
    await expect(guest.storeValue(1, ['nowhere', 'x'])).rejects.toThrow();
    await expect(guest.makeDirectory(['nowhere', 'x'])).rejects.toThrow();
    await expect(guest.lookup(['nowhere', 'x'])).rejects.toThrow('nowhere');
    await expect(guest.list(['nowhere'])).rejects.toThrow();
    await expect(guest.lookup(['value', 'x'])).rejects.toThrow();
    await expect(guest.identify(['value', 'x'])).rejects.toThrow();
    await expect(guest.storeValue(1, ['value', 'x'])).rejects.toThrow();
    await expect(guest.list(['value'])).rejects.toThrow();
    expect(await guest.has(['nowhere'])).toBe(false);
  });

  if (strict) {
    it('has and identifies nothing beyond what is not there', async () => {
      const { guest } = open();
      expect(await guest.has(['nowhere', 'x'])).toBe(false);
      expect(await guest.identify(['nowhere', 'x'])).toBeUndefined();
    });

    it('never replaces what is there by a new directory', async () => {
      const { guest } = open();
      await guest.makeDirectory(['folder']);
      await guest.storeValue('kept', ['folder', 'value']);
      await guest.storeValue('v', ['value']);
      await expect(guest.makeDirectory(['folder'])).rejects.toThrow('folder');
      await expect(guest.makeDirectory(['value'])).rejects.toThrow('value');
      expect(await guest.lookup(['folder', 'value'])).toBe('kept');
      expect(await guest.lookup(['value'])).toBe('v');
    });
  }

  it.each([
    '',
    '-a',
    'a b',
    'a_b',
    'a/b',
    '.',
    '..',
    'ä',
    'Ab',
    '@self',
    'a'.repeat(129),
  ])('refuses %j as a name', async (name) => {
    const { guest } = open();
    await expect(guest.storeValue(1, [name])).rejects.toThrow();
    await expect(guest.makeDirectory([name])).rejects.toThrow();
  });

  it('takes names of up to 128 letters, digits and hyphens', async () => {
    const { guest } = open();
    for (const name of ['a', '0', 'a-', `a${'-9'.repeat(63)}b`]) {
      await guest.storeValue(name, [name]);
      expect(await guest.lookup([name])).toBe(name);
    }
  });

  it('has its special names, each for something else', async () => {
    const { guest } = open();
    const { specialNames, guarded, self } = await guest.identity();
    const ids = await Promise.all(
      specialNames.map((name) => guest.identify([name])),
    );
    expect(new Set(ids).size).toBe(specialNames.length);
    expect(ids).not.toContain(undefined);
    expect(guarded).not.toContain(self);
    expect(await guest.list([])).toEqual(
      expect.arrayContaining([...specialNames]),
    );
  });

  it('knows itself and its HOST by the ids that the HOST knows', async () => {
    const { guest, host, world } = open();
    const identity = await guest.identity();
    expect(await host.identify([world.guestName])).toBe(identity.self);
    expect(await host.identify([`${world.guestName}-agent`])).toBe(
      await guest.identify(['AGENT']),
    );
    expect(await host.identify(['SELF'])).toBe(identity.host);
  });

  it.each(['AGENT', 'SELF', 'HOST', 'KEYPAIR', 'MAIL'])(
    'protects the special name %s',
    async (name) => {
      const { guest } = open();
      const id = await guest.identify([name]);
      await guest.storeValue('v', ['value']);
      await expect(guest.storeValue('v', [name])).rejects.toThrow();
      await expect(guest.remove([name])).rejects.toThrow();
      await expect(guest.copy(['value'], [name])).rejects.toThrow();
      await expect(guest.move(['value'], [name])).rejects.toThrow();
      await expect(guest.move([name], ['mine'])).rejects.toThrow();
      await expect(guest.makeDirectory([name])).rejects.toThrow();
      expect(await guest.identify([name])).toBe(id);
      expect(await guest.lookup(['value'])).toBe('v');
    },
  );

  it('tells a follower the names that are there, then each change', async () => {
    const { guest } = open();
    await guest.storeValue('v', ['before']);
    const id = await guest.identify(['before']);
    const changes = guest.followNameChanges();
    const found = await takeUntil(changes, ({ name }) => name === 'before');
    expect(found).toEqual({ type: 'added', name: 'before', id });
    await guest.copy(['before'], ['extra']);
    await guest.remove(['before']);
    // The peer comes after "before" in the listing, and may be told first.
    const first = await takeUntil(changes, ({ name }) => name !== 'peer');
    const [second] = await take(changes, 1);
    expect([first, second]).toEqual([
      { type: 'added', name: 'extra', id },
      { type: 'removed', name: 'before' },
    ]);
    await changes.close();
    expect((await changes.next()).done).toBe(true);
  });

  it('tells a follower of a move and of a new value, with their ids', async () => {
    const { guest } = open();
    await guest.storeValue('old', ['zebra']);
    const changes = guest.followNameChanges();
    await takeUntil(changes, ({ name }) => name === 'zebra');
    await guest.storeValue('new', ['zebra']);
    const stored = await takeUntil(
      changes,
      ({ type, name }) => type === 'added' && name === 'zebra',
    );
    const id = await guest.identify(['zebra']);
    expect(stored).toEqual({ type: 'added', name: 'zebra', id });
    await guest.move(['zebra'], ['zoo']);
    const moved = await take(changes, 2);
    expect(moved).toContainEqual({ type: 'added', name: 'zoo', id });
    expect(moved).toContainEqual({ type: 'removed', name: 'zebra' });
    await changes.close();
  });

  it('tells a follower of a directory what is there, then each change', async () => {
    const { guest } = open();
    await guest.makeDirectory(['folder']);
    await guest.storeValue('v', ['folder', 'before']);
    const id = await guest.identify(['folder', 'before']);
    const changes = guest.followNameChanges(['folder']);
    expect(await take(changes, 1)).toEqual([
      { type: 'added', name: 'before', id },
    ]);
    await guest.copy(['folder', 'before'], ['folder', 'extra']);
    await guest.storeValue('elsewhere', ['top']);
    await guest.remove(['folder', 'before']);
    expect(await take(changes, 2)).toEqual([
      { type: 'added', name: 'extra', id },
      { type: 'removed', name: 'before' },
    ]);
    await changes.close();
  });

  it('cannot follow a directory that is not there', async () => {
    const { guest } = open();
    const changes = guest.followNameChanges(['nowhere']);
    await expect(changes.next()).rejects.toThrow('nowhere');
    expect((await changes.next()).done).toBe(true);
  });

  it('finds a value by its id, named or not', async () => {
    const { guest, host } = open();
    await guest.storeValue({ a: 1 }, ['value']);
    const id = await guest.identify(['value']);
    expect(await guest.lookupById(id ?? '')).toEqual({ a: 1 });
    await host.storeValue('theirs', ['contract-value']);
    const theirs = await host.identify(['contract-value']);
    expect(await guest.lookupById(theirs ?? '')).toBe('theirs');
    await host.remove(['contract-value']);
    await expect(guest.lookupById('0'.repeat(64))).rejects.toThrow('id');
  });

  it('gives help in words, for all and for one method', async () => {
    const { guest } = open();
    expect(await guest.help()).toMatch(/\w/u);
    expect(await guest.help('send')).toMatch(/send/u);
  });
};
