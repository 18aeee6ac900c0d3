import { makeMarshal } from '@endo/marshal';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { parseOpenRecord } from '../../src/proposal/open-record.ts';
import { entryRecord, parseEntry } from '../../src/transcript/entry.ts';
import { nodeRecord, parseNode } from '../../src/transcript/node.ts';
import { makeSummaryStore } from '../../src/transcript/summaries.ts';
import { makeMemoryDirectory } from './memory-directory.ts';

const marshal = makeMarshal(undefined, undefined, {
  serializeBodyFormat: 'smallcaps',
});

/** As a daemon keeps it: the body of what `storeValue` was given. */
const readFixture = (name: string): string =>
  readFileSync(
    new URL(`../fixtures/records/${name}.smallcaps`, import.meta.url),
    'utf8',
  ).trim();

const decode = (body: string): unknown =>
  marshal.fromCapData(harden({ body, slots: [] }));

const encode = (value: unknown): string =>
  marshal.toCapData(harden(value) as never).body;

it.each(['node', 'pointer', 'pointer-to-sent'])(
  'a %s that was stored in format 1 is read and written as it was',
  (name) => {
    const body = readFixture(name);
    expect(encode(nodeRecord(parseNode(name, decode(body))))).toBe(body);
  },
);

it.each(['entry', 'entry-of-effects', 'entry-of-an-end'])(
  'an %s of format 1 is read and written as it was',
  (name) => {
    const body = readFixture(name);
    expect(encode(entryRecord(parseEntry(name, decode(body))))).toBe(body);
  },
);

it('an open record of format 1 is read as it was', () => {
  const body = readFixture('open');
  expect(encode(parseOpenRecord(decode(body)))).toBe(body);
});

it('a summary of format 1 is read as it was', async () => {
  const nodeId = 'a'.repeat(64);
  const directory = makeMemoryDirectory();
  directory.values.set(`summary-${nodeId}`, decode(readFixture('summary')));
  const store = makeSummaryStore({
    directory,
    present: new Set([nodeId]),
    cacheBytes: 1_000_000,
  });
  expect(await store.get(nodeId)).toEqual({
    nodeId,
    text: 'They counted to five.',
    turns: 3,
  });
});

it.each([
  ['node', parseNode],
  ['entry', parseEntry],
] as const)('a %s of a later format is refused by its name', (name, parse) => {
  const stored = decode(readFixture(name)) as { readonly version: number };
  const later = harden({ ...stored, version: 2 });
  expect(() => parse(`transcript-${name}`, later)).toThrow(
    `transcript-${name}`,
  );
});
