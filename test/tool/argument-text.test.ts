import { describe, expect, it } from 'vitest';

import {
  MAX_ARGUMENT_TEXT,
  parseArgumentText,
} from '../../src/tool/argument-text.ts';

describe('the argument text of a tool call', () => {
  it.each([
    ['', {}],
    [' \n', {}],
    ['null', {}],
    ['{}', {}],
    ['{"a":[1,"- x",{"b":null}]}', { a: [1, '- x', { b: null }] }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['""', {}],
  ])('is read: %j', (text, value) => {
    expect(parseArgumentText(text)).toEqual(value);
  });

  it.each([
    ['{"a":"b",}', { a: 'b' }],
    ['{"a":["b",],}', { a: ['b'] }],
    ["{'a': 'b'}", { a: 'b' }],
    ["{'a': 'it\\'s'}", { a: "it's" }],
    ["{'a': 'say \"x\" \\\\ '}", { a: 'say "x" \\ ' }],
    ['{"a": "\\\\\'",}', { a: "\\'" }],
    ['{a: "b"}', { a: 'b' }],
    ['{"a": True, "b": None}', { a: true, b: null }],
    ['{"a":"line\nline\ttab"}', { a: 'line\nline\ttab' }],
    ['{"a":"b"', { a: 'b' }],
    ['{"a":["b","c"', { a: ['b', 'c'] }],
    ['{"a":{"b":true', { a: { b: true } }],
    ['{"a":{"b":5}', { a: { b: 5 } }],
  ])('is repaired where nothing is guessed: %j', (text, value) => {
    expect(parseArgumentText(text)).toEqual(value);
  });

  it.each([
    ['a string that was cut open', '{"strings":["I will del'],
    ['a string cut at its end', '{"a":"b'],
    ['a number that may have lost digits', '{"messageNumber": 1'],
    ['more that was announced', '{"a":"b",'],
    ['a key without its value', '{"a":"b","c"'],
    ['a colon without its value', '{"a":'],
    ['a missing comma', '{"a":1 "b":2}'],
    ['a missing colon', '{"a" 1}'],
    ['a missing bracket within', '{"a":["b"}'],
    ['a bracket too many', '{"a":1}}'],
    ['a quote within a string', '{"a":"he said "no" to it"}'],
    ['an unquoted value', '{"a": hello}'],
    ['an undefined', '{"a": undefined}'],
    ['prose', 'I would like to send a message'],
    ['a concatenation', '{"a":"b" + "c"}'],
    ['a comment', '{"a":"b" /* or c */}'],
    ['two objects', '{"a":1}\n{"b":2}'],
    ['a bad escape', '{"a":"\\x41"}'],
  ])('is refused, with what was wrong, at %s', (_what, text) => {
    expect(() => parseArgumentText(text)).toThrow(
      /not valid JSON.*(?:position \d+|end of|Unexpected token)/u,
    );
  });

  it.each([
    ['a list', '[1]'],
    ['a number', '5'],
    ['a boolean', 'true'],
    ['a text', '"\\"hello\\""'],
  ])('is refused when it is %s', (kind, text) => {
    expect(() => parseArgumentText(text)).toThrow(
      `The arguments are ${kind}; one JSON object is wanted`,
    );
  });

  it('has no __proto__, at any depth', () => {
    expect(() => parseArgumentText('{"__proto__":{}}')).toThrow('__proto__');
    expect(() => parseArgumentText('{"a":[{"__proto__":1}]}')).toThrow(
      '__proto__',
    );
    expect(() => parseArgumentText("{'__proto__': {}}")).toThrow('__proto__');
  });

  it('is bounded in size and depth', () => {
    expect(() =>
      parseArgumentText(`{"a":"${'x'.repeat(MAX_ARGUMENT_TEXT)}"}`),
    ).toThrow(/at most 262144/u);
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    expect(() => parseArgumentText(deep)).toThrow(/deeper than 64/u);
    expect(() => parseArgumentText(`{"a":${'['.repeat(50_000)}`)).toThrow(
      /not valid JSON/u,
    );
    const long = 'y"\\'.repeat(50_000);
    expect(
      parseArgumentText(`${JSON.stringify({ a: long })},`.slice(0, -1)),
    ).toEqual({
      a: long,
    });
    const nearly = JSON.stringify({ a: 'x'.repeat(250_000) }).slice(0, -1);
    expect(parseArgumentText(nearly)).toEqual({ a: 'x'.repeat(250_000) });
  });

  it('gives hardened data', () => {
    const value = parseArgumentText('{"a":["b"]}');
    expect(Object.isFrozen(value)).toBe(true);
    expect(Object.isFrozen(value['a'])).toBe(true);
  });
});
