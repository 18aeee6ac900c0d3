import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type FarIterator,
  type TestDaemon,
} from '../support/daemon.ts';

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

const follow = async (agent: FarGuest, locator: unknown) => {
  const iterator = (await E(agent).followLocatorNameChanges(
    locator,
  )) as FarIterator;
  return async (): Promise<unknown> =>
    ((await E(iterator).next()) as { readonly value: unknown }).value;
};

describe('a locator', () => {
  it('names node, number and kind of a value, and leads back to its id', async () => {
    await E(host).storeValue(1n, 'one');
    const id = (await E(host).identify('one')) as string;
    const [number, node] = id.split(':');
    await expect(E(host).locate('one')).resolves.toBe(
      `endo://${node}/?id=${number}&type=marshal`,
    );
    await expect(E(host).lookupById(id)).resolves.toBe(1n);
    await expect(E(host).locate('HOST')).resolves.toMatch(/&type=handle$/u);
  });

  it('is the same for everybody who knows the value, each by its own names', async () => {
    await E(host).storeValue('both have it', 'mine');
    const guest = (await E(host).provideGuest('bob', {
      agentName: 'bob-agent',
      introducedNames: { mine: 'given' },
    })) as FarGuest;
    const locator = await E(host).locate('mine');
    await expect(E(guest).locate('given')).resolves.toBe(locator);
    await expect(E(guest).reverseLocate(locator)).resolves.toEqual(['given']);
    await expect(E(host).reverseLocate(locator)).resolves.toEqual(['mine']);
    const self = await E(guest).locate('SELF');
    await expect(E(host).reverseLocate(self)).resolves.toEqual(['bob']);
    await expect(E(guest).reverseLocate(self)).resolves.toEqual(['SELF']);
  });

  it('is found through paths, and after a restart', async () => {
    await E(host).makeDirectory('box');
    await E(host).storeValue('kept', ['box', 'letter']);
    const locator = await E(host).locate('box', 'letter');
    await daemon.restart();
    await connect();
    await expect(E(host).locate('box', 'letter')).resolves.toBe(locator);
    const box = (await E(host).lookup('box')) as FarGuest;
    await expect(E(box).reverseLocate(locator)).resolves.toEqual(['letter']);
  });

  it('has its names followed: those there are, then every change, overwriting included', async () => {
    await E(host).storeValue('v', 'first');
    await E(host).copy('first', 'second');
    const locator = await E(host).locate('first');
    const next = await follow(host, locator);
    expect(await next()).toEqual({ add: locator, names: ['first', 'second'] });
    await E(host).storeValue('elsewhere', 'unrelated');
    await E(host).move('first', 'third');
    expect(await next()).toEqual({ add: locator, names: ['third'] });
    expect(await next()).toEqual({ remove: locator, names: ['first'] });
    await E(host).storeValue('another', 'second');
    expect(await next()).toEqual({ remove: locator, names: ['second'] });
  });

  it('of a value that has no name here yet is followed until it gets one', async () => {
    const guest = (await E(host).provideGuest('carol', {
      agentName: 'carol-agent',
    })) as FarGuest;
    await E(host).storeValue('v', 'coming');
    const locator = await E(host).locate('coming');
    const next = await follow(guest, locator);
    await E(guest).write('come', await E(host).identify('coming'));
    expect(await next()).toEqual({ add: locator, names: ['come'] });
  });

  it('and an id of what is not there are refused in words', async () => {
    await expect(E(host).lookupById(`${'0'.repeat(64)}:x`)).rejects.toThrow(
      'is not a formula id',
    );
    await expect(
      E(host).lookupById(`${'0'.repeat(64)}:${'1'.repeat(64)}`),
    ).rejects.toThrow('There is no value with the id');
    await expect(E(host).followLocatorNameChanges('endo://x')).rejects.toThrow(
      'is not a locator',
    );
  });
});
