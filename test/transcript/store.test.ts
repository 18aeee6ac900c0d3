import { expect, it } from 'vitest';
import { nodeName, sortNames } from '../../src/transcript/names.ts';
import { pointerTo, type TranscriptNode } from '../../src/transcript/node.ts';
import { makeTranscriptStore } from '../../src/transcript/store.ts';
import { makeMemoryDirectory } from './memory-directory.ts';

const idOf = (digit: string): string => digit.repeat(64);

const node = (digit: string, text = 'hello'): TranscriptNode => ({
  messageId: idOf(digit),
  parentMessageId: null,
  messages: [{ role: 'user', content: text }],
  correspondent: 'host',
  turns: 1,
  exchanges: 1,
  unattended: 0,
  rootMessageId: 'f'.repeat(64),
  failed: false,
});

const openStore = (
  directory: ReturnType<typeof makeMemoryDirectory>,
  cacheBytes = 1_000_000,
) =>
  makeTranscriptStore({
    directory,
    present: sortNames(directory.names()).nodes,
    cacheBytes,
  });

it('has every node again after a restart, and asks for one when it is needed', async () => {
  const directory = makeMemoryDirectory();
  await openStore(directory).put(node('a'));
  await openStore(directory).put(pointerTo(node('a'), idOf('b')));
  const again = openStore(directory);
  directory.calls.length = 0;
  expect(await again.get(idOf('a'))).toEqual(node('a'));
  expect(await again.get(idOf('a'))).toEqual(node('a'));
  expect(await again.get(idOf('b'))).toMatchObject({
    parentMessageId: idOf('a'),
    messages: [],
  });
  expect(directory.calls).toEqual([
    `lookup ${nodeName(idOf('a'))}`,
    `lookup ${nodeName(idOf('b'))}`,
  ]);
});

it('asks the daemon for no node that is not there', async () => {
  const directory = makeMemoryDirectory();
  expect(await openStore(directory).get(idOf('c'))).toBeUndefined();
  expect(directory.calls).toEqual([]);
});

it('asks once when two need the same node at a time', async () => {
  const directory = makeMemoryDirectory();
  await openStore(directory).put(node('a'));
  const again = openStore(directory);
  directory.calls.length = 0;
  await Promise.all([again.get(idOf('a')), again.get(idOf('a'))]);
  expect(directory.calls).toHaveLength(1);
});

it('never writes a settled node a second time', async () => {
  const directory = makeMemoryDirectory();
  const store = openStore(directory);
  await store.put(node('a', 'first'));
  await expect(store.put(node('a', 'second'))).rejects.toThrow('settled');
  expect(await openStore(directory).get(idOf('a'))).toEqual(node('a', 'first'));
});

it('holds no more nodes in memory than its bytes allow, and loses none', async () => {
  const directory = makeMemoryDirectory();
  const store = openStore(directory, 3_000);
  for (const digit of 'abcdef') await store.put(node(digit, 'x'.repeat(500)));
  directory.calls.length = 0;
  for (const digit of 'abcdef') {
    expect(await store.get(idOf(digit))).toEqual(node(digit, 'x'.repeat(500)));
  }
  expect(directory.calls.length).toBeGreaterThanOrEqual(5);
});

it('says which record is not what its name says', async () => {
  const directory = makeMemoryDirectory();
  await openStore(directory).put(node('a'));
  const record = directory.values.get(nodeName(idOf('a')));
  directory.values.set(nodeName(idOf('b')), record);
  directory.values.set(nodeName(idOf('c')), harden({ version: 2 }));
  const store = openStore(directory);
  await expect(store.get(idOf('b'))).rejects.toThrow(nodeName(idOf('b')));
  await expect(store.get(idOf('c'))).rejects.toThrow(nodeName(idOf('c')));
});
