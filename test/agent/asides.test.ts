import { expect, it } from 'vitest';

import { makeAsides } from '../../src/agent/asides.ts';

it('tells a conversation once what happened for any of its turns', () => {
  const asides = makeAsides();
  asides.add('turn-1', 'Bob has answered.');
  asides.add('turn-2', 'Eve has answered.');
  expect(asides.take(['turn-0', 'turn-1', 'turn-2'])).toEqual([
    'Bob has answered.',
    'Eve has answered.',
  ]);
  expect(asides.take(['turn-0', 'turn-1', 'turn-2'])).toEqual([]);
});

it('tells a conversation nothing of another', () => {
  const asides = makeAsides();
  asides.add('turn-1', 'Bob has answered.');
  expect(asides.take(['turn-9'])).toEqual([]);
});

it('keeps the newest lines when there are many', () => {
  const asides = makeAsides();
  for (let count = 1; count <= 25; count += 1) asides.add('turn', `${count}`);
  const lines = asides.take(['turn']);
  expect(lines).toHaveLength(20);
  expect(lines.at(-1)).toBe('25');
});
