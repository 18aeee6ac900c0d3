import { expect, it } from 'vitest';

import { withoutPurpose, withPurpose } from '../../src/proposal/purpose.ts';

const run = (source: string): unknown =>
  new Compartment().evaluate(source) as unknown;

it('puts the purpose above the source as one line', () => {
  expect(withPurpose('1 + 1', 'add up')).toBe('// purpose: add up\n1 + 1');
  expect(withPurpose('1 + 1', ' \n ')).toBe('1 + 1');
});

it.each([
  ['a line feed', 'add\n2; //'],
  ['a carriage return', 'add\r2; //'],
  ['a line separator', 'add\u{2028}2; //'],
  ['a paragraph separator', 'add\u{2029}2; //'],
  ['the end of a comment', 'add */ 2; /*'],
  ['an HTML comment', 'add <!-- and -->'],
  ['a dynamic import', 'add with import("x") or import /* */ ("x")'],
  ['a direct eval', 'add with eval("2") and eval ("2")'],
  ['a text in the other direction', 'add \u{202e}dda'],
])(
  'can neither end the comment nor keep the code from running with %s',
  (_what, purpose) => {
    const source = withPurpose('1 + 1', purpose);
    expect(source.split('\n')).toHaveLength(2);
    expect(source).not.toMatch(/[\p{Cf}\u{2028}\u{2029}\r]/u);
    expect(run(source)).toBe(2);
  },
);

it.each(['add with import', 'add with eval'])(
  'keeps no code from running that begins with a parenthesis: %s',
  (purpose) => {
    expect(run(withPurpose('(1 + 1)', purpose))).toBe(2);
  },
);

it('is bounded', () => {
  expect(withPurpose('1', 'x'.repeat(5000)).length).toBeLessThan(400);
});

it('is left out when two sources are compared', () => {
  expect(withoutPurpose(withPurpose('a\nb', 'why'))).toBe('a\nb');
  expect(withoutPurpose('a\n// purpose: b\nc')).toBe('a\n// purpose: b\nc');
});
