import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
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

describe('a guest', () => {
  it('is the same however often it is provided, and after a restart', async () => {
    const guest = (await E(host).provideGuest('hob', {
      agentName: 'profile-for-hob',
    })) as FarGuest;
    await E(guest).storeValue('mine', 'note');
    expect(
      await E(host).provideGuest('hob', { agentName: 'profile-for-hob' }),
    ).toBe(guest);
    expect(await E(host).provideGuest('hob')).toBe(guest);
    expect(await E(host).lookup('profile-for-hob')).toBe(guest);
    await daemon.restart();
    await connect();
    const again = (await E(host).provideGuest('hob', {
      agentName: 'profile-for-hob',
    })) as FarGuest;
    await expect(E(again).lookup('note')).resolves.toBe('mine');
    await expect(E(host).identify('hob')).resolves.toBe(
      await E(again).identify('SELF'),
    );
  });

  it('has its special names and those it was introduced to, and no others', async () => {
    await E(host).storeValue('for it', 'shared');
    await E(host).storeValue('not for it', 'private');
    const guest = (await E(host).provideGuest('narrow', {
      agentName: 'narrow-agent',
      introducedNames: { shared: 'given' },
    })) as FarGuest;
    await expect(E(guest).list()).resolves.toEqual([
      'AGENT',
      'HOST',
      'KEYPAIR',
      'MAIL',
      'SELF',
      'given',
    ]);
    await expect(E(guest).lookup('given')).resolves.toBe('for it');
    await expect(E(guest).lookup(['HOST', 'private'])).rejects.toThrow(
      /of the kind handle/,
    );
    expect(await E(guest).lookup('AGENT')).toBe(guest);
    expect(await E(guest).lookup('SELF')).toBe(await E(guest).handle());
    await expect(E(guest).identify('HOST')).resolves.toBe(
      await E(host).identify('SELF'),
    );
    await expect(E(guest).lookup('PINS')).rejects.toThrow(
      'No value is named "PINS"',
    );
  });

  it('is introduced to more when it is provided again', async () => {
    await E(host).storeValue('second', 'later');
    await E(host).provideGuest('growing', {
      introducedNames: harden({ shared: 'one' }),
    });
    const guest = (await E(host).provideGuest('growing', {
      introducedNames: harden({ later: 'two' }),
    })) as FarGuest;
    await expect(E(guest).lookup('one')).resolves.toBe('for it');
    await expect(E(guest).lookup('two')).resolves.toBe('second');
  });

  it('is not made when a name is wrong, and the error names it', async () => {
    await expect(E(host).provideGuest('shared')).rejects.toThrow(
      '"shared" is taken by a value of the kind marshal, and not by a guest',
    );
    await expect(
      E(host).provideGuest('x', { agentName: 'shared' }),
    ).rejects.toThrow('"shared" is taken by another value');
    await expect(
      E(host).provideGuest('x', { introducedNames: harden({ nowhere: 'y' }) }),
    ).rejects.toThrow('No value is named "nowhere"');
    await expect(E(host).has('x')).resolves.toBe(false);
  });

  it('has a text of help for its methods', async () => {
    const guest = (await E(host).provideGuest('helped')) as FarGuest;
    await expect(E(guest).help()).resolves.toContain('A guest');
    await expect(E(guest).help('send')).resolves.toContain(
      '1,000,000 characters',
    );
    const directory = (await E(guest).makeDirectory('d')) as FarGuest;
    await expect(E(directory).help('list')).resolves.toContain('list(...path)');
  });
});
