import { expect, it } from 'vitest';

import { makeLines } from '../../src/agent/lines.ts';
import { makeRouter } from '../../src/agent/router.ts';
import {
  BrokenChainError,
  chainMessages,
  loadChain,
} from '../../src/transcript/chain.ts';
import {
  makeMemoryTranscriptStore,
  type TranscriptNode,
} from '../../src/transcript/store.ts';

const node = (
  messageId: string,
  parentMessageId: string | null,
  text: string,
): TranscriptNode => ({
  messageId,
  parentMessageId,
  messages: text === '' ? [] : [{ role: 'user', content: text }],
  correspondent: 'bob',
  exchanges: 1,
  unattended: 0,
  failed: false,
});

it('is read from its root to its leaf, pointers left out', async () => {
  const store = makeMemoryTranscriptStore();
  await store.put(node('a', null, 'first'));
  await store.put(node('a-out', 'a', ''));
  await store.put(node('b', 'a-out', 'second'));
  const texts = chainMessages(await loadChain(store, 'b'));
  expect(texts.map(({ content }) => content)).toEqual(['first', 'second']);
});

it('is never silently shorter when an ancestor is gone', async () => {
  const store = makeMemoryTranscriptStore();
  await store.put(node('b', 'gone', 'second'));
  await expect(loadChain(store, 'b')).rejects.toThrow(BrokenChainError);
  const route = await makeRouter(store, {
    lines: makeLines(),
    openBy: () => undefined,
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
  const store = makeMemoryTranscriptStore();
  await store.put(node('a', null, 'first'));
  await expect(store.put(node('a', null, 'other'))).rejects.toThrow('settled');
});
