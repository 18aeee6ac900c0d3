import { E, Far } from '@endo/far';
import { describe, expect, it } from 'vitest';
import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';

describe('the fake guest lets a test', () => {
  it('count the calls to the daemon', async () => {
    const { guest, control } = await makeFakeWorld().makeGuest('bob');
    const port = makeGenerationAGuest(guest);
    await port.has(['a']);
    await port.has(['b']);
    await port.list([]);
    expect(control.calls).toEqual({ has: 2, list: 1 });
    expect(control.log).toEqual(['has', 'has', 'list']);
    control.resetCalls();
    expect(control.calls).toEqual({});
  });

  it('make the next call of a method fail, and no other', async () => {
    const { guest, control } = await makeFakeWorld().makeGuest('bob');
    const port = makeGenerationAGuest(guest);
    control.failNext('storeValue', Error('disk full'));
    expect(await port.has(['a'])).toBe(false);
    await expect(port.storeValue(1, ['a'])).rejects.toThrow('disk full');
    await port.storeValue(1, ['a']);
    expect(await port.lookup(['a'])).toBe(1);
  });

  it('hold calls up', async () => {
    const { guest, control } = await makeFakeWorld().makeGuest('bob');
    const port = makeGenerationAGuest(guest);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    control.delay = (method) =>
      method === 'has' ? promise : Promise.resolve(undefined);
    let answered = false;
    const held = port.has(['a']).then(() => {
      answered = true;
    });
    await port.list([]);
    expect(answered).toBe(false);
    resolve(undefined);
    await held;
    expect(answered).toBe(true);
  });

  it('put a remotable of its own under a name', async () => {
    const { guest, put } = await makeFakeWorld().makeGuest('bob');
    const tool = Far('Tool', { help: () => 'it helps' });
    await put('tool', tool);
    const found = await makeGenerationAGuest(guest).lookup(['tool']);
    expect(await E(found as typeof tool).help()).toBe('it helps');
  });
});
