import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type TestDaemon,
} from '../support/daemon.ts';

type Mail = { readonly number: bigint; readonly strings?: readonly string[] };

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

const provideHost = (name: string, options = {}): Promise<FarHost> =>
  E(host).provideHost(name, {
    agentName: `${name}-agent`,
    ...options,
  }) as Promise<FarHost>;

const lastMail = async (agent: FarGuest): Promise<Mail | undefined> =>
  ((await E(agent).listMessages()) as readonly Mail[]).at(-1);

describe('a host that a host provides', () => {
  it('is the same however often it is provided, and after a restart', async () => {
    const first = await provideHost('sub');
    await E(first).storeValue('mine', 'note');
    expect(await provideHost('sub')).toBe(first);
    await daemon.restart();
    await connect();
    const again = await provideHost('sub');
    await expect(E(again).lookup('note')).resolves.toBe('mine');
    await expect(E(host).identify('sub')).resolves.toBe(
      await E(again).identify('SELF'),
    );
  });

  it('has places of its own, and its maker as HOST', async () => {
    await E(host).storeValue('private', 'of-the-maker');
    await E(host).storeValue('shared', 'given');
    const sub = await provideHost('own', {
      introducedNames: { given: 'gift' },
    });
    await expect(E(sub).list()).resolves.toEqual([
      'AGENT',
      'ENDO',
      'HOST',
      'KEYPAIR',
      'MAIL',
      'MAIN',
      'NETS',
      'NONE',
      'PINS',
      'SELF',
      'gift',
    ]);
    await expect(E(sub).identify('HOST')).resolves.toBe(
      await E(host).identify('SELF'),
    );
    for (const name of ['SELF', 'MAIN', 'PINS', 'NETS', 'MAIL']) {
      expect(await E(sub).identify(name)).not.toBe(
        await E(host).identify(name),
      );
    }
    await expect(E(sub).lookup('gift')).resolves.toBe('shared');
  });

  it('provides guests, evaluates and makes directories for itself', async () => {
    const sub = await provideHost('busy');
    const guest = (await E(sub).provideGuest('bob', {
      agentName: 'bob-agent',
    })) as FarGuest;
    await expect(E(guest).identify('HOST')).resolves.toBe(
      await E(sub).identify('SELF'),
    );
    await E(sub).storeValue(20n, 'twenty');
    await expect(
      E(sub).evaluate(undefined, 'a + 1n', ['a'], ['twenty'], 'sum'),
    ).resolves.toBe(21n);
    await E(sub).makeDirectory('box');
    await expect(E(host).has('bob')).resolves.toBe(false);
    await expect(E(host).lookup(['busy-agent', 'sum'])).resolves.toBe(21n);
  });

  it('exchanges mail and requests with its maker', async () => {
    const sub = await provideHost('writer');
    await E(host).send('writer', ['Hello'], [], []);
    const mail = await lastMail(sub);
    expect(mail?.strings).toEqual(['Hello']);
    await E(sub).reply(mail?.number, ['Hello to you'], [], []);
    expect((await lastMail(host))?.strings).toEqual(['Hello to you']);
    const answer = E(sub).request('HOST', 'a number', 'number');
    const incoming = (await E(host).followMessages()) as {
      next: () => Promise<{ value: Mail & { description?: string } }>;
    };
    let asked;
    do asked = (await E(incoming).next()).value;
    while (asked.description !== 'a number');
    await E(host).storeValue(5n, 'five');
    await E(host).resolve(asked.number, 'five');
    await expect(answer).resolves.toBe(5n);
    await expect(E(sub).lookup('number')).resolves.toBe(5n);
  });

  it('has what it pins made again at the next start', async () => {
    const sub = await provideHost('pinner');
    await E(sub).provideGuest('hob', { agentName: 'hob-agent' });
    const caplet = new URL('fixtures/marks-start.ts', import.meta.url).href;
    await E(sub).makeUnconfined('MAIN', caplet, {
      powersName: 'hob-agent',
      resultName: 'marker',
    });
    await E(sub).copy('marker', ['PINS', 'marker']);
    await E(sub).remove('hob-agent', 'started');
    await daemon.restart();
    await connect();
    const guest = (await E(host).lookup([
      'pinner-agent',
      'hob-agent',
    ])) as FarGuest;
    const changes = (await E(guest).followNameChanges()) as {
      next: () => Promise<{ value: { add?: string } }>;
    };
    let change;
    do change = (await E(changes).next()).value;
    while (change.add !== 'started');
    await expect(E(guest).lookup('started')).resolves.toBe('yes');
  });

  it('does not take the name of a guest, nor a guest that of a host', async () => {
    await E(host).provideGuest('a-guest');
    await expect(E(host).provideHost('a-guest')).rejects.toThrow(
      '"a-guest" is taken by a value of the kind guest, and not by a host',
    );
    await provideHost('a-host');
    await expect(E(host).provideGuest('a-host')).rejects.toThrow(
      '"a-host" is taken by a value of the kind host, and not by a guest',
    );
  });

  it('leaves nothing behind when its names are gone', async () => {
    const sub = await provideHost('passing');
    const id = (await E(sub).identify('PINS')) as string;
    await E(host).remove('passing');
    await E(host).remove('passing-agent');
    await expect(E(host).lookupById(id)).rejects.toThrow('There is no value');
  });
});
