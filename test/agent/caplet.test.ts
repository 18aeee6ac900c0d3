import { setImmediate as drained } from 'node:timers/promises';
import { E, Far } from '@endo/far';
import { expect, it } from 'vitest';

import { make } from '../../src/caplet.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';
import { makePerson } from '../support/person.ts';

const practice = { env: { LAL_HOST: 'practice:' } };

/** The life of a caplet, which the test ends. */
const makeLife = () => {
  let cancel: ((reason: Error) => void) | undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = reject;
  });
  return {
    context: Far('Context', { whenCancelled: () => cancelled }),
    cancel: () => cancel?.(Error('cancelled')),
  };
};

type Hob = { readonly whenReady: () => Promise<void> };

it('can be cancelled when it could not connect, with nothing left unheard', async () => {
  const unheard: unknown[] = [];
  const note = (reason: unknown): void => {
    unheard.push(reason);
  };
  process.on('unhandledRejection', note);
  try {
    const { context, cancel } = makeLife();
    const hob = (await make(Far('Nobody', {}), context, practice)) as Hob;
    await expect(E(hob).whenReady()).rejects.toThrow('not a guest');
    cancel();
    await drained();
    await drained();
    expect(unheard).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
  }
});

it('leaves the guest to others when it is cancelled before it has connected', async () => {
  const { powers, control } = await makeFakeWorld().makeGuest('hob');
  const own = await makePerson(powers);
  await own.port.storeValue(harden({ incarnation: 'another' }), ['hob-lease']);
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  control.delay = (method) =>
    method === 'identify' ? gate : Promise.resolve();
  const { context, cancel } = makeLife();
  const hob = (await make(powers, context, practice)) as Hob;
  cancel();
  await drained();
  open?.();
  await expect(E(hob).whenReady()).rejects.toThrow(/cancelled/u);
  expect(await own.port.lookup(['hob-lease'])).toEqual({
    incarnation: 'another',
  });
});

it('answers nothing more once it is cancelled, and says so to who waits', async () => {
  const world = makeFakeWorld();
  const { powers } = await world.makeGuest('hob');
  const host = await makePerson(world.host);
  const { context, cancel } = makeLife();
  const hob = (await make(powers, context, practice)) as Hob & {
    readonly whenSettled: (messageId: string) => Promise<unknown>;
  };
  await E(hob).whenReady();
  await host.send('hob', 'echo here');
  expect(await host.receiveText()).toContain('here');
  cancel();
  await drained();
  const { messageId } = await host.send('hob', 'echo gone');
  await expect(E(hob).whenSettled(messageId)).rejects.toThrow('has stopped');
  const mail = await host.port.listMessages();
  expect(mail.filter(({ replyTo }) => replyTo === messageId)).toEqual([]);
});
