import { expect, it } from 'vitest';
import type { RequestMail } from '../../src/endo/guest.ts';
import type { OpenWorld } from './world.ts';
import { lastOf, take } from './world.ts';

const HOST = harden(['HOST']);

/** Asks the HOST, and hands out his copy of the question beside the answer. */
const ask = async (
  { guest, host }: OpenWorld,
  responseName?: readonly string[],
): Promise<{ answer: Promise<unknown>; asked: RequestMail }> => {
  const own = guest.followMessages();
  const answer = guest.request(HOST, 'a clock, please', responseName);
  // It is settled before it is awaited in some tests.
  answer.catch(() => undefined);
  await take(own, 1);
  await own.close();
  const asked = await lastOf(host);
  if (asked.type !== 'request') throw Error('The HOST was not asked');
  return { answer, asked };
};

/** What every guest's requests do. */
export const itAsksForValues = (open: () => OpenWorld): void => {
  it('puts a request into both mailboxes', async () => {
    const { guest } = open();
    const { self, host: hostId } = await guest.identity();
    const { asked } = await ask(open());
    expect(asked).toMatchObject({
      description: 'a clock, please',
      from: self,
      to: hostId,
    });
    expect(Object.hasOwn(asked, 'replyTo')).toBe(false);
    expect((await lastOf(guest)).messageId).toBe(asked.messageId);
  });

  it('answers a request with the value of a name', async () => {
    const { host } = open();
    const { answer, asked } = await ask(open());
    await host.storeValue('tick', ['contract-clock']);
    await host.resolve(asked.number, ['contract-clock']);
    expect(await answer).toBe('tick');
    await host.remove(['contract-clock']);
  });

  it('binds the response name to the answer', async () => {
    const { guest, host, world } = open();
    const { answer, asked } = await ask(open(), ['clock']);
    expect(await guest.has(['clock'])).toBe(false);
    await host.resolve(asked.number, [world.otherName]);
    await answer;
    expect(await guest.identify(['clock'])).toBe(
      await host.identify([world.otherName]),
    );
  });

  it('rejects a request with the reason', async () => {
    const { guest, host } = open();
    const { answer, asked } = await ask(open(), ['clock']);
    await host.reject(asked.number, 'not before Monday');
    await expect(answer).rejects.toThrow('not before Monday');
    expect(await guest.has(['clock'])).toBe(false);
  });

  it('rejects a request without a reason', async () => {
    const { host } = open();
    const { answer, asked } = await ask(open());
    await host.reject(asked.number);
    await expect(answer).rejects.toThrow();
  });

  it('keeps a request open when it is answered by an unknown name', async () => {
    const { host, world } = open();
    const { answer, asked } = await ask(open());
    await expect(host.resolve(asked.number, ['no-such-name'])).rejects.toThrow(
      'no-such-name',
    );
    await host.resolve(asked.number, [world.otherName]);
    await answer;
    expect(asked.type).toBe('request');
  });

  it('refuses an answer to what is no request', async () => {
    const { guest, host, world } = open();
    await guest.send(
      HOST,
      harden({ strings: ['hi'], edgeNames: [], petNames: [] }),
    );
    const { number } = await lastOf(host);
    await expect(host.resolve(number, [world.otherName])).rejects.toThrow();
    await expect(host.resolve(99_999n, [world.otherName])).rejects.toThrow();
    await expect(host.reject(99_999n, 'no')).rejects.toThrow();
  });

  it('asks nobody when the name is unknown', async () => {
    const { guest } = open();
    await expect(guest.request(['nobody'], 'x')).rejects.toThrow('nobody');
    expect(await guest.listMessages()).toEqual([]);
  });
};

/** What Hob's daemon promises of requests, and others do not. */
export const itAnswersOnce = (open: () => OpenWorld): void => {
  it('refuses a second answer to a request', async () => {
    const { host, world } = open();
    const { answer, asked } = await ask(open());
    await host.resolve(asked.number, [world.otherName]);
    await answer;
    await expect(
      host.resolve(asked.number, [world.otherName]),
    ).rejects.toThrow();
    await expect(host.reject(asked.number, 'late')).rejects.toThrow();
  });

  it('lets only the one who was asked answer', async () => {
    const { guest, host, world } = open();
    const { answer, asked } = await ask(open());
    const own = await lastOf(guest);
    await guest.storeValue('mine', ['mine']);
    await expect(guest.resolve(own.number, ['mine'])).rejects.toThrow();
    await host.storeValue('from the host', ['contract-answer']);
    await host.resolve(asked.number, ['contract-answer']);
    expect(await answer).toBe('from the host');
    await host.remove(['contract-answer']);
    expect(world.guestName).not.toBe(world.otherName);
  });
};
