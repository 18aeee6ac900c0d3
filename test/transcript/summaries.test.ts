import { expect, it } from 'vitest';

import { sortNames } from '../../src/transcript/names.ts';
import { makeSummaryStore } from '../../src/transcript/summaries.ts';
import { makeMemoryDirectory } from './memory-directory.ts';

const NODE = 'a'.repeat(64);
const NAME = `summary-${NODE}`;
const SUMMARY = { nodeId: NODE, text: 'They met.', turns: 3 };

const open = (directory = makeMemoryDirectory()) => ({
  directory,
  store: makeSummaryStore({
    directory,
    present: sortNames(directory.names()).summaries,
    cacheBytes: 1000,
  }),
});

it('are there after a restart', async () => {
  const { directory, store } = open();
  await store.put(SUMMARY);
  expect(directory.values.get(NAME)).toEqual({ version: 1, ...SUMMARY });
  expect(await open(directory).store.get(NODE)).toEqual(SUMMARY);
});

it('cost no call for a node that has none', async () => {
  const { directory, store } = open();
  expect(await store.get(NODE)).toBeUndefined();
  expect(directory.calls).toEqual([]);
});

it('stay as they are: the first holds for all branches', async () => {
  const { directory, store } = open();
  const other = { ...SUMMARY, text: 'Otherwise.' };
  const both = await Promise.all([store.put(SUMMARY), store.put(other)]);
  expect(both).toEqual([SUMMARY, SUMMARY]);
  expect(await open(directory).store.put(other)).toEqual(SUMMARY);
  expect(await store.get(NODE)).toEqual(SUMMARY);
});

it.each([
  ['of a later format', { version: 2, ...SUMMARY }],
  ['of another node', { version: 1, ...SUMMARY, nodeId: 'b'.repeat(64) }],
  ['that is something else', 'They met.'],
])('do not stand in the way with a record %s', async (_what, record) => {
  const directory = makeMemoryDirectory();
  directory.values.set(NAME, harden(record));
  const { store } = open(directory);
  expect(await store.get(NODE)).toBeUndefined();
  await store.put(SUMMARY);
  expect(await open(directory).store.get(NODE)).toEqual(SUMMARY);
});

it('reject when the daemon does not answer, and can be asked for again', async () => {
  const directory = makeMemoryDirectory();
  await open(directory).store.put(SUMMARY);
  const { lookup } = directory;
  directory.lookup = () => Promise.reject(Error('The connection is gone'));
  const { store } = open(directory);
  await expect(store.get(NODE)).rejects.toThrow('connection');
  directory.lookup = lookup;
  expect(await store.get(NODE)).toEqual(SUMMARY);
});
