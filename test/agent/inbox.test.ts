import { expect, it } from 'vitest';

import type { Decisions } from '../../src/agent/decisions.ts';
import type { Desk } from '../../src/agent/desk.ts';
import type { AgentEvent } from '../../src/agent/events.ts';
import { makeInbox } from '../../src/agent/inbox.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import type { Following, Mail } from '../../src/endo/guest.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';

const mail = (number: bigint): Mail => ({
  type: 'package',
  number,
  messageId: `m-${number}`,
  from: 'bob',
  to: 'self',
  date: '2026-01-01T00:00:00.000Z',
  strings: ['Hello'],
  names: [],
  ids: [],
});

/** What the daemon gives, one after the other, and then the end. */
const following = (items: readonly (Mail | Error)[]): Following<Mail> => {
  const left = [...items];
  return {
    next: () => {
      const item = left.shift();
      if (item instanceof Error) return Promise.reject(item);
      return Promise.resolve(
        item === undefined
          ? { done: true, value: undefined }
          : { done: false, value: item },
      );
    },
    close: () => Promise.resolve(),
  };
};

const follow = async (
  items: readonly (Mail | Error)[],
  settled: ReadonlySet<string> = new Set(),
) => {
  const { powers } = await makeFakeWorld().makeGuest('hob');
  const taken: bigint[] = [];
  const events: AgentEvent[] = [];
  const desk: Pick<Desk, 'take'> = {
    take: ({ number }) => {
      taken.push(number);
    },
  };
  const inbox = makeInbox({
    guest: await connectGuest(powers),
    self: 'self',
    isSettled: (messageId) => settled.has(messageId),
    outbox: { observe: () => false },
    kept: new Set(),
    decisions: { takeCounter: () => false } as unknown as Decisions,
    desk: desk as Desk,
    onEvent: (event) => {
      events.push(event);
    },
  });
  await inbox.follow(following(items));
  return { taken, events };
};

it('takes a message once, though it comes again with the same number', async () => {
  const { taken } = await follow([mail(0n), mail(1n), mail(0n), mail(1n)]);
  expect(taken).toEqual([0n, 1n]);
});

it('leaves a message that was answered by an earlier incarnation', async () => {
  const { taken } = await follow([mail(0n), mail(1n)], new Set(['m-0']));
  expect(taken).toEqual([1n]);
});

it('reports a message that it cannot read, and takes the next one', async () => {
  const { taken, events } = await follow([
    mail(0n),
    Error('an envelope of an unknown form'),
    mail(2n),
  ]);
  expect(taken).toEqual([0n, 2n]);
  expect(events).toMatchObject([
    { type: 'trouble', during: 'following the inbox' },
  ]);
});
