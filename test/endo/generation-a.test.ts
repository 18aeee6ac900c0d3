import { Far } from '@endo/far';
import { makePromiseKit } from '@endo/promise-kit';
import { describe, expect, it } from 'vitest';
import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';

describe('the guest port over generation A', () => {
  it('knows the guest, its HOST and what is guarded', async () => {
    const world = makeFakeWorld();
    const { guest, handleId, agentId } = await world.makeGuest('hob');
    const identity = await makeGenerationAGuest(guest).identity();
    expect(identity.self).toBe(handleId);
    expect(identity.host).toBe(world.hostAgent.handleId);
    expect(identity.guarded).toHaveLength(3);
    expect(identity.guarded).toContain(agentId);
  });

  it('asks for the identity once', async () => {
    const world = makeFakeWorld();
    const { guest, control } = await world.makeGuest('hob');
    const port = makeGenerationAGuest(guest);
    await Promise.all([port.identity(), port.identity()]);
    await port.identity();
    expect(control.calls).toEqual({ identify: 5 });
  });

  it('asks for the identity again when the daemon failed at first', async () => {
    const world = makeFakeWorld();
    const { guest, control, handleId } = await world.makeGuest('hob');
    const port = makeGenerationAGuest(guest);
    control.failNext('identify', Error('not yet'));
    await expect(port.identity()).rejects.toThrow('not yet');
    expect((await port.identity()).self).toBe(handleId);
  });

  it('asks for the guarantees once', async () => {
    const { guest, control } = await makeFakeWorld().makeGuest('hob');
    const port = makeGenerationAGuest(guest);
    await Promise.all([port.guarantees(), port.guarantees()]);
    await port.guarantees();
    expect(control.calls).toEqual({ guarantees: 1 });
  });

  it('believes no guarantee that it does not know', async () => {
    const guest = Far('Later', { guarantees: () => harden({ mail: 'often' }) });
    expect(await makeGenerationAGuest(guest).guarantees()).toEqual({
      mail: 'unknown',
      grants: 'unknown',
    });
  });

  it('says in an error what was tried', async () => {
    const { guest } = await makeFakeWorld().makeGuest('hob');
    const port = makeGenerationAGuest(guest);
    await expect(port.lookup(['no', 'where'])).rejects.toThrow(
      'Cannot look up "no/where": Unknown pet name: "no"',
    );
  });

  it('takes a promise for the powers', async () => {
    const { guest } = await makeFakeWorld().makeGuest('hob');
    const port = makeGenerationAGuest(Promise.resolve(guest));
    await port.storeValue('v', ['a']);
    expect(await port.lookup(['a'])).toBe('v');
  });

  it('refuses an answer of the wrong kind', async () => {
    const guest = Far('Odd', { list: () => harden([1]), has: () => 'yes' });
    const port = makeGenerationAGuest(guest);
    await expect(port.list([])).rejects.toThrow(/did not answer with a list/u);
    await expect(port.has(['a'])).rejects.toThrow(/did not answer with yes/u);
  });
});

describe('a following', () => {
  it('ends a waiting next on close, though the daemon never answers', async () => {
    const silent = Far('Silent', {
      next: () => new Promise(() => undefined),
      return: () => new Promise(() => undefined),
    });
    const guest = Far('Guest', { followMessages: () => silent });
    const following = makeGenerationAGuest(guest).followMessages();
    const waiting = following.next();
    await following.close();
    await following.close();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect((await following.next()).done).toBe(true);
  });

  it('tells the daemon once that it is closed', async () => {
    let returns = 0;
    const { promise: told, resolve: tell } = makePromiseKit<undefined>();
    const iterator = Far('Iterator', {
      next: () => new Promise(() => undefined),
      return: () => {
        returns += 1;
        tell(undefined);
      },
    });
    const guest = Far('Guest', { followNameChanges: () => iterator });
    const following = makeGenerationAGuest(guest).followNameChanges();
    await following.close();
    await following.close();
    await told;
    expect(returns).toBe(1);
  });

  it('rejects once when the daemon fails, and is over then', async () => {
    const guest = Far('Guest', {
      followMessages: () => Promise.reject(Error('the daemon is gone')),
    });
    const following = makeGenerationAGuest(guest).followMessages();
    await expect(following.next()).rejects.toThrow('the daemon is gone');
    expect((await following.next()).done).toBe(true);
  });

  it('goes on after an item that cannot be read', async () => {
    const items = [{ odd: true }, { remove: 'a' }];
    const iterator = Far('Iterator', {
      next: () => harden({ done: false, value: items.shift() }),
      return: () => undefined,
    });
    const guest = Far('Guest', { followNameChanges: () => iterator });
    const following = makeGenerationAGuest(guest).followNameChanges();
    await expect(following.next()).rejects.toThrow('follow names');
    expect(await following.next()).toEqual({
      done: false,
      value: { type: 'removed', name: 'a' },
    });
  });
});

describe('connecting to a daemon', () => {
  it('finds generation A', async () => {
    const { guest, handleId } = await makeFakeWorld().makeGuest('hob');
    const port = await connectGuest(guest);
    expect((await port.identity()).self).toBe(handleId);
  });

  it('names the later generation, and what Hob supports', async () => {
    const later = Far('Later', {
      identify: () => undefined,
      locate: (name: string) => (name === '@self' ? 'endo://a/b' : undefined),
    });
    await expect(connectGuest(later)).rejects.toThrow(
      /April 2026 or later.*Hob supports/u,
    );
  });

  it('says so when the powers are no guest at all', async () => {
    const clock = Far('Clock', { now: () => 1 });
    await expect(connectGuest(clock)).rejects.toThrow(
      /not a guest of a daemon that Hob supports/u,
    );
  });
});
