import { describe, expect, it } from 'vitest';

import type { JsonSchema } from '../../src/model/chat.ts';
import { parseArgumentText } from '../../src/tool/argument-text.ts';
import { decodeBySchema } from '../../src/tool/schema-arguments.ts';

const decodeAll = (schema: JsonSchema, given: unknown): unknown =>
  decodeBySchema('x', schema, parseArgumentText(JSON.stringify(given)));

const decode = (type: JsonSchema, given: unknown): unknown =>
  (
    decodeAll({ type: 'object', properties: { a: type } }, { a: given }) as {
      readonly a: unknown;
    }
  ).a;

describe('an argument of an adopted tool', () => {
  it.each([
    ['- item'],
    ['# Title'],
    ['$5'],
    ['-5'],
    ['+1'],
    ['!important'],
    ['%d'],
    ['[1]'],
    ['{"a":1}'],
    ['true'],
    [''],
  ])('that is a text is taken as it is: %j', (text) => {
    expect(decode({ type: 'string' }, text)).toBe(text);
  });

  it.each([
    [{ type: 'string' }, 5, '5'],
    [{ type: 'number' }, '-5.5', -5.5],
    [{ type: 'number' }, '1e3', 1000],
    [{ type: 'integer' }, '+5', 5],
    [{ type: 'boolean' }, 'true', true],
    [{ type: 'array' }, '[1, 2]', [1, 2]],
    [{ type: 'array', items: { type: 'integer' } }, '7', [7]],
    [{ type: 'array', items: { type: 'string' } }, ['a', 1], ['a', '1']],
    [{ type: 'object' }, '{"b": [1]}', { b: [1] }],
    [
      { properties: { n: { type: 'number' } } },
      { n: '1', m: 2 },
      { n: 1, m: 2 },
    ],
    [{ type: ['string', 'null'] }, null, null],
    [{ type: ['integer', 'string'] }, '5', '5'],
    [{ enum: ['a', 'b'] }, 'b', 'b'],
    [{ type: 'integer', enum: [1, 2] }, '2', 2],
    [{}, { any: ['thing', 1, null] }, { any: ['thing', 1, null] }],
    [{ anyOf: [{ type: 'string' }] }, 5, 5],
  ])('%j, given %j, is %j', (type, given: unknown, value: unknown) => {
    expect(decode(type, given)).toEqual(value);
  });

  it.each([
    [{ type: 'number' }, 'five', 'takes a number, and was given "five"'],
    [{ type: 'integer' }, 1.5, 'a whole number'],
    [{ type: 'integer' }, '', 'a whole number'],
    [{ type: 'boolean' }, 'yes', 'true or false'],
    [{ type: 'string' }, { b: 1 }, 'a text'],
    [{ type: 'object' }, 'prose', 'a record'],
    [{ type: 'object' }, '{"__proto__": {}}', 'a record'],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'one of "a", "b"'],
    [
      { type: 'array', items: { type: 'number' } },
      ['x'],
      '"a[0]" takes a number',
    ],
    [
      {
        type: 'object',
        required: ['b'],
        properties: { b: { type: 'string' } },
      },
      {},
      '"a.b" is missing; it takes a text',
    ],
  ])('%j, given %j, is refused', (type, given: unknown, words) => {
    expect(() => decode(type, given)).toThrow(words);
  });
});

describe('the arguments of an adopted tool', () => {
  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: false,
  };

  it('that it does not know are passed on, unless its schema forbids them', () => {
    const open = { type: 'object', properties: {} };
    expect(decodeAll(open, { other: [1] })).toEqual({ other: [1] });
    expect(() => decodeAll(closed, { other: 1 })).toThrow(
      'x did not run: there is no parameter "other" (known: a)',
    );
  });

  it('that are null are left out where null is no value', () => {
    expect(decodeAll(closed, { a: null })).toEqual({});
    expect(() =>
      decodeAll({ ...closed, required: ['a'] }, { a: null }),
    ).toThrow('takes a text');
  });

  it('that it needs and were not given are named, all of them', () => {
    expect(() => decodeAll({ required: ['a', 'b'] }, {})).toThrow(
      '"a" is missing; it takes a value; "b" is missing',
    );
  });

  it('named like parts of every object are only names', () => {
    expect(() => decodeAll(closed, { toString: 1 })).toThrow('"toString"');
    expect(() => decodeAll({ required: ['constructor'] }, {})).toThrow(
      '"constructor" is missing',
    );
  });
});
