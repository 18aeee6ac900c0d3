import { expect, it } from 'vitest';
import {
  entryName,
  nodeName,
  sortNames,
  summaryName,
} from '../../src/transcript/names.ts';

const A = 'a'.repeat(64);
const B = 'b'.repeat(64);

it('sorts one listing into nodes, entries in their order, and summaries', () => {
  const { nodes, entries, summaries } = sortNames([
    entryName(B, 10),
    'counter',
    nodeName(A),
    entryName(B, 9),
    summaryName(A),
    `transcript-${A}-x`,
  ]);
  expect([...nodes]).toEqual([A]);
  expect([...summaries]).toEqual([A]);
  expect([...entries]).toEqual([[B, [9, 10]]]);
});
