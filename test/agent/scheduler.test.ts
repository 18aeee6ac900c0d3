import { expect, it } from 'vitest';

import { makeScheduler } from '../../src/agent/scheduler.ts';

const HOST = 'host';

/** Enter for each sender in turn, and note the order in which they are let in. */
const enterAll = (
  scheduler: ReturnType<typeof makeScheduler>,
  senders: readonly string[],
) => {
  const order: string[] = [];
  const entries = senders.map((sender) =>
    scheduler.enter(sender).then((release) => {
      order.push(sender);
      return release;
    }),
  );
  return { order, entries };
};

it('lets the HOST go first, and others in turn, not by the length of their queue', async () => {
  const scheduler = makeScheduler({ slots: 1, host: HOST });
  const releaseFirst = await scheduler.enter('bob');
  const { order, entries } = enterAll(scheduler, [
    'bob',
    'bob',
    'eve',
    'bob',
    'eve',
    HOST,
  ]);
  releaseFirst();
  for (const index of [5, 0, 2, 1, 4, 3]) (await entries[index])?.();
  expect(order).toEqual([HOST, 'bob', 'eve', 'bob', 'eve', 'bob']);
});

it('runs no more turns at a time than there are slots', async () => {
  const scheduler = makeScheduler({ slots: 2, host: HOST });
  const first = await scheduler.enter(HOST);
  await scheduler.enter(HOST);
  const { order, entries } = enterAll(scheduler, [HOST]);
  expect(order).toEqual([]);
  first();
  first();
  await entries[0];
  expect(order).toEqual([HOST]);
  const late = enterAll(scheduler, [HOST]);
  await Promise.resolve();
  expect(late.order).toEqual([]);
});

it('keeps one slot for the HOST, so that strangers cannot shut the HOST out', async () => {
  const scheduler = makeScheduler({ slots: 2, host: HOST });
  await scheduler.enter('bob');
  const { order } = enterAll(scheduler, ['eve']);
  await scheduler.enter(HOST);
  expect(order).toEqual([]);
});

it('refuses all who wait and all who come once it has stopped', async () => {
  const scheduler = makeScheduler({ slots: 1, host: HOST });
  await scheduler.enter(HOST);
  const waiting = scheduler.enter(HOST);
  scheduler.stop(Error('over'));
  await expect(waiting).rejects.toThrow('over');
  await expect(scheduler.enter('bob')).rejects.toThrow('over');
});
