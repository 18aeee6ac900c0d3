import { expect, it } from 'vitest';
import { makeByteCache } from '../../src/transcript/byte-cache.ts';

const makeCache = (maxBytes: number) =>
  makeByteCache<string>(maxBytes, (text) => text.length);

it('keeps what was used last and lets the rest go', () => {
  const cache = makeCache(10);
  cache.set('a', '12345');
  cache.set('b', '12345');
  expect(cache.get('a')).toBe('12345');
  cache.set('c', '12345');
  expect(cache.get('b')).toBeUndefined();
  expect(cache.get('a')).toBe('12345');
  expect(cache.get('c')).toBe('12345');
});

it('never holds more bytes than it may', () => {
  const cache = makeCache(10);
  for (let size = 0; size < 30; size += 1) {
    cache.set(`key-${size % 7}`, 'x'.repeat(size));
    expect(cache.bytes()).toBeLessThanOrEqual(10);
  }
});

it('forgets the old value of a key whose new one is too large', () => {
  const cache = makeCache(4);
  cache.set('a', 'old');
  cache.set('a', 'too large');
  expect(cache.get('a')).toBeUndefined();
  expect(cache.bytes()).toBe(0);
});
