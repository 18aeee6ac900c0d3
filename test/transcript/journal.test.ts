import { expect, it } from 'vitest';
import type { JournalRecord } from '../../src/transcript/entry.ts';
import { makeJournal, readJournal } from '../../src/transcript/journal.ts';
import { entryName, sortNames } from '../../src/transcript/names.ts';
import { makeMemoryDirectory } from './memory-directory.ts';

const TURN = 'a'.repeat(64);

const start = (callId: string): JournalRecord => ({
  type: 'start',
  callId,
  ids: [],
});

const open = async (directory: ReturnType<typeof makeMemoryDirectory>) => {
  const indices = sortNames(directory.names()).entries.get(TURN) ?? [];
  return {
    ...makeJournal({ directory }, TURN, indices),
    before: await readJournal({ directory }, TURN, indices),
  };
};

it('gives back what was written, in its order, over any number of restarts', async () => {
  const directory = makeMemoryDirectory();
  const first = await open(directory);
  for (let count = 0; count < 11; count += 1) {
    await first.append([start(`call-${count}`), start(`also-${count}`)]);
  }
  const second = await open(directory);
  expect(second.before).toHaveLength(22);
  await second.append([start('last')]);
  const third = await open(directory);
  expect(third.before.slice(-3)).toEqual([
    start('call-10'),
    start('also-10'),
    start('last'),
  ]);
});

it('leaves nothing behind when its turn is settled', async () => {
  const directory = makeMemoryDirectory();
  const journal = await open(directory);
  await journal.append([start('a')]);
  await journal.append([start('b')]);
  await journal.remove();
  expect(directory.names()).toEqual([]);
});

it('takes no entry that stands behind a missing one', async () => {
  const directory = makeMemoryDirectory();
  const journal = await open(directory);
  for (const id of ['a', 'b', 'c']) await journal.append([start(id)]);
  directory.values.delete(entryName(TURN, 1));
  const again = await open(directory);
  expect(again.before).toEqual([start('a')]);
  await again.remove();
  expect(directory.names()).toEqual([]);
});

it('says which entry cannot be read', async () => {
  const directory = makeMemoryDirectory();
  directory.values.set(entryName(TURN, 0), harden({ version: 9 }));
  await expect(open(directory)).rejects.toThrow(entryName(TURN, 0));
});
