import { expect, it } from 'vitest';

import { makeLines } from '../../src/agent/lines.ts';
import { makeRouter } from '../../src/agent/router.ts';
import { BrokenChainError, walkChain } from '../../src/transcript/chain.ts';
import { makeNode as node, makeStoreInMemory } from './nodes.ts';

const noSummary = () => Promise.resolve(undefined);

it('is read from its root to its leaf, pointers left out', async () => {
  const store = makeStoreInMemory();
  await store.put(node('a', null, 'first'));
  await store.put(node('a-out', 'a', ''));
  await store.put(node('b', 'a-out', 'second'));
  const { nodes } = await walkChain(
    { get: store.get, summaryOf: noSummary },
    'b',
  );
  expect(nodes.map(({ messageId }) => messageId)).toEqual(['a', 'b']);
});

it('is never silently shorter when an ancestor is gone', async () => {
  const store = makeStoreInMemory();
  await store.put(node('b', 'gone', 'second'));
  await expect(
    walkChain({ get: store.get, summaryOf: noSummary }, 'b'),
  ).rejects.toThrow(BrokenChainError);
  const route = await makeRouter({
    store,
    summaries: { get: noSummary },
    lines: makeLines(),
    openBy: () => undefined,
    whenSeen: () => Promise.resolve(),
  }).route({
    type: 'package',
    number: 2n,
    messageId: 'c',
    replyTo: 'b',
    from: 'bob',
    to: 'self',
    date: '2026-01-01T00:00:00.000Z',
    strings: ['And?'],
    names: [],
    ids: [],
  });
  expect(route).toEqual({ type: 'broken', missing: 'gone' });
});

it('has nodes that stay as they were put', async () => {
  const store = makeStoreInMemory();
  await store.put(node('a', null, 'first'));
  await expect(store.put(node('a', null, 'other'))).rejects.toThrow('settled');
});
