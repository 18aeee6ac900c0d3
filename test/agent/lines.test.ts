import { expect, it } from 'vitest';

import { makeLines } from '../../src/agent/lines.ts';

const under = () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  return { settled: promise, end: () => resolve(undefined) };
};

it('knows the newest node of a line, and leaves other lines alone', () => {
  const lines = makeLines();
  lines.opened('p', { askedBy: 'a', tip: null });
  expect(lines.tip('p')).toBeNull();
  expect(lines.prolong('a', null)).toEqual(['p']);
  expect(lines.prolong('elsewhere', 'x')).toEqual([]);
  expect(lines.prolong('b', 'a')).toEqual(['p']);
  expect(lines.prolong('c', 'b')).toEqual(['p']);
  expect(lines.tip('p')).toBe('c');
  lines.closed('p');
  expect(lines.prolong('d', 'c')).toEqual([]);
});

it('waits for the turns of its line that began before, through those between, and for no other', async () => {
  const lines = makeLines();
  lines.opened('p', { askedBy: 'a', tip: null });
  lines.prolong('a', null);
  const [inLine, behind, other, later] = [under(), under(), under(), under()];
  lines.began('b', Promise.resolve('a'), inLine.settled);
  lines.began('c', Promise.resolve('b'), behind.settled);
  lines.began('o', Promise.resolve('x'), other.settled);
  lines.began('p', Promise.resolve('a'), under().settled);
  lines.began('l', Promise.resolve('a'), later.settled);
  const order: string[] = [];
  const joined = lines.join('p', 'p').then(() => order.push('joined'));
  inLine.end();
  await inLine.settled;
  order.push('b is over');
  behind.end();
  await joined;
  expect(order).toEqual(['b is over', 'joined']);
});

it('sees the end of parents that go in a circle', async () => {
  const lines = makeLines();
  lines.opened('p', { askedBy: 'a', tip: null });
  lines.began('b', Promise.resolve('c'), under().settled);
  lines.began('c', Promise.resolve('b'), under().settled);
  lines.began('p', Promise.resolve('a'), under().settled);
  await expect(lines.join('p', 'p')).resolves.toBeUndefined();
});
