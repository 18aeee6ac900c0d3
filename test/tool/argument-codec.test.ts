import { makeMarshal, makeTagged } from '@endo/marshal';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  decodeEdgeName,
  decodeEdgeNameList,
  decodeFlag,
  decodeMessageNumber,
  decodePassable,
  decodePath,
  decodePathList,
  decodeText,
  decodeTextList,
} from '../../src/tool/argument-codec.ts';

const LEADING = [
  ...['- item', '# Title', '*bold*', '(x)', '"q"', '$5', '+1', '-5'],
  ...['!important', '%d', "'", '&', ',', '+', '#undefined', '[x]'],
];

describe('a text', () => {
  it.each(LEADING)('is taken as it is: %s', (text) => {
    expect(decodeText(text)).toEqual({ ok: true, value: text });
    expect(decodeTextList(text)).toEqual({ ok: true, value: [text] });
    expect(decodeTextList([text])).toEqual({ ok: true, value: [text] });
  });

  it.each([5, true, null, {}, ['a']])('is not %j', (given) => {
    expect(decodeText(given)).toEqual({ ok: false });
  });
});

describe('a list of texts', () => {
  it('may come as a JSON string, and else a text is a list of one', () => {
    expect(decodeTextList('["a","b"]')).toEqual({
      ok: true,
      value: ['a', 'b'],
    });
    expect(decodeTextList('[1]')).toEqual({ ok: true, value: ['[1]'] });
    expect(decodeTextList('[1, 2')).toEqual({ ok: true, value: ['[1, 2'] });
  });

  it.each([5, null, {}, [5], ['a', ['b']]])('is not %j', (given) => {
    expect(decodeTextList(given)).toEqual({ ok: false });
  });
});

describe('a message number', () => {
  it.each([5, '5', '+5', ' 5 ', '5n', 5n])('is 5n when given %s', (given) => {
    expect(decodeMessageNumber(given)).toEqual({ ok: true, value: 5n });
  });

  it('may be zero', () => {
    expect(decodeMessageNumber(0)).toEqual({ ok: true, value: 0n });
  });

  it.each([
    ...[5.5, -1, 'abc', '#5', '-5', '5.5', '', '++5', '0x5', '1e3', '5 6'],
    ...[2 ** 53, -1n, null, true, [5], {}, '9'.repeat(19)],
  ])('is not %s', (given) => {
    expect(decodeMessageNumber(given)).toEqual({ ok: false });
  });
});

describe('a flag', () => {
  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
  ])('%j is %j', (given, value) => {
    expect(decodeFlag(given)).toEqual({ ok: true, value });
  });

  it.each([1, 0, 'yes', '', null])('is not %j', (given) => {
    expect(decodeFlag(given)).toEqual({ ok: false });
  });
});

describe('a name or path', () => {
  it.each([
    ['a', ['a']],
    ['a/b', ['a', 'b']],
    [['a'], ['a']],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    ['["a","b"]', ['a', 'b']],
  ])('%j is %j', (given, value) => {
    expect(decodePath(given)).toEqual({ ok: true, value });
  });

  it.each(['', '/', 'a//b', '/a', [], [''], [5], 5, null, {}, '[1]', '[]'])(
    'is not %j',
    (given) => {
      expect(decodePath(given)).toEqual({ ok: false });
    },
  );
});

describe('a list of names', () => {
  it.each([
    ['a', [['a']]],
    ['["a","b/c"]', [['a'], ['b', 'c']]],
    [
      ['a', ['b', 'c']],
      [['a'], ['b', 'c']],
    ],
    [[], []],
  ])('%j is %j', (given, value) => {
    expect(decodePathList(given)).toEqual({ ok: true, value });
  });

  it.each(['', [''], [5], 5, null, {}])('is not %j', (given) => {
    expect(decodePathList(given)).toEqual({ ok: false });
  });
});

describe('an edge name', () => {
  it('is taken with or without its @', () => {
    expect(decodeEdgeName('counter')).toEqual({ ok: true, value: 'counter' });
    expect(decodeEdgeName('@counter')).toEqual({ ok: true, value: 'counter' });
    expect(decodeEdgeNameList(['@a', 'b'])).toEqual({
      ok: true,
      value: ['a', 'b'],
    });
    expect(decodeEdgeNameList('a')).toEqual({ ok: true, value: ['a'] });
  });

  it.each(['', '@', 5, null, ['a']])('is not %j', (given) => {
    expect(decodeEdgeName(given)).toEqual({ ok: false });
  });

  it.each([[['']], [['a', '@']], [5], [[5]]])(
    'is not in the list %j',
    (given) => {
      expect(decodeEdgeNameList(given)).toEqual({ ok: false });
    },
  );
});

const smallcaps = makeMarshal(undefined, undefined, {
  serializeBodyFormat: 'smallcaps',
});

const leaf = fc.oneof(
  fc.string(),
  fc.constantFrom(...LEADING),
  fc.integer(),
  fc.double(),
  fc.bigInt(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
);

const plainPassable = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('value'),
      {
        maxKeys: 4,
        noNullPrototype: true,
      },
    ),
  ),
})).value;

describe('a passable', () => {
  it('that was written in SmallCaps comes back as it was', () => {
    fc.assert(
      fc.property(plainPassable, (original) => {
        const { body } = smallcaps.toCapData(harden(original) as never);
        const decoded = decodePassable(JSON.parse(body.slice(1)));
        const again = decoded.ok
          ? smallcaps.toCapData(decoded.value as never).body
          : undefined;
        expect(again).toBe(body);
        expect(decoded.ok && Object.isFrozen(decoded)).toBe(true);
      }),
    );
  });

  it('is always taken, as the plain value where it is no SmallCaps', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        expect(decodePassable(given).ok).toBe(true);
      }),
    );
  });

  it.each([
    ['- item', '- item'],
    ['# Title', '# Title'],
    ['$5', '$5'],
    ['&0', '&0'],
    ['*bold*', '*bold*'],
    ['(x)', '(x)'],
    ['plain', 'plain'],
    ['+5', 5n],
    ['-5', -5n],
    ['#undefined', undefined],
    ['#Infinity', Infinity],
    ['!- item', '- item'],
    [{ a: ['+5', 1] }, { a: [5n, 1] }],
    [
      { a: '# Title', b: '+5' },
      { a: '# Title', b: '+5' },
    ],
  ])('%j is read as expected', (given, value) => {
    expect(decodePassable(given)).toEqual({ ok: true, value });
  });

  it('may be tagged', () => {
    const decoded = decodePassable({ '#tag': 'point', payload: [1, 2] });
    expect(decoded).toEqual({
      ok: true,
      value: makeTagged('point', harden([1, 2])),
    });
  });
});
