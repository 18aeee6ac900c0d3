import { Far } from '@endo/far';
import { describe, expect, it } from 'vitest';
import {
  parseBigInt,
  parseMessageNumber,
  parsePath,
} from '../../cli/arguments.ts';
import { paragraph, wrap } from '../../cli/layout.ts';
import { parseMessageText } from '../../cli/message-text.ts';
import { jsonDocument, readable } from '../../cli/values.ts';
import { visible, visibleLine } from '../../cli/visible.ts';

describe('the text of a message', () => {
  it('is one string when it names no value', () => {
    expect(parseMessageText('hello')).toEqual({
      strings: ['hello'],
      edgeNames: [],
      petNames: [],
    });
  });

  it('puts a string before every value, and one after the last', () => {
    expect(parseMessageText('@a and @b:c done')).toEqual({
      strings: ['', ' and ', ' done'],
      edgeNames: ['a', 'b'],
      petNames: ['a', 'c'],
    });
  });

  it('takes a path after the colon as a path', () => {
    expect(parseMessageText('see @day:notes/today.')).toEqual({
      strings: ['see ', '.'],
      edgeNames: ['day'],
      petNames: [['notes', 'today']],
    });
  });

  it('takes a special name after the colon', () => {
    expect(parseMessageText('@me:SELF').petNames).toEqual(['SELF']);
  });

  it.each(['ada@example.org', '@@home', '5 @ 3', '@Upper', 'x@y@z'])(
    'leaves %s as text',
    (text) => {
      expect(parseMessageText(text).edgeNames).toEqual([]);
    },
  );

  it('writes @@ as a plain @', () => {
    expect(parseMessageText('to @@home').strings).toEqual(['to @home']);
  });

  it('refuses the same edge name twice, and says how to write it', () => {
    expect(() => parseMessageText('@a @a')).toThrow('"@other:a"');
  });
});

describe('text of strangers', () => {
  it.each([
    ['\u001b[2J', '\\u{1b}[2J'],
    ['a\rb', 'a\\u{d}b'],
    ['\u202egnp', '\\u{202e}gnp'],
    ['a\u200bb', 'a\\u{200b}b'],
    ['\u009b31m', '\\u{9b}31m'],
    ['\u{e0041}', '\\u{e0041}'],
  ])('shows %j as %j', (text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('keeps line feeds, umlauts and emoji', () => {
    expect(visible('ä\n👩‍🚀')).toBe('ä\n👩‍🚀');
  });

  it('has no line feed where it stands in a line', () => {
    expect(visibleLine('a\nb')).toBe('a\\nb');
  });
});

describe('a value', () => {
  it('is shown as in JavaScript, text as it is', () => {
    expect(readable('plain')).toBe('plain');
    expect(readable(harden({ n: 5n, list: [1, 'x', undefined] }))).toBe(
      '{ n: 5n, list: [1, "x", undefined] }',
    );
    expect(readable(Far('Counter', {}))).toBe('[Counter]');
  });

  it('is broken into lines when it is wider than the terminal', () => {
    const long = harden({ a: 'x'.repeat(50), b: 'y'.repeat(50) });
    expect(readable(long).split('\n')).toHaveLength(4);
  });

  it('is one JSON document, with BigInt as decimal strings', () => {
    const value = harden({
      n: 123456789012345678901234567890n,
      none: undefined,
      counter: Far('Counter', {}),
      nan: NaN,
    });
    expect(JSON.parse(jsonDocument(value))).toEqual({
      n: '123456789012345678901234567890',
      none: null,
      counter: { remotable: 'Counter' },
      nan: 'NaN',
    });
  });
});

describe('arguments', () => {
  it('take message numbers with or without #', () => {
    expect(parseMessageNumber('12')).toBe(12n);
    expect(parseMessageNumber('#12')).toBe(12n);
    expect(() => parseMessageNumber('-1')).toThrow('"inbox" shows');
  });

  it('take whole numbers of any size', () => {
    expect(parseBigInt('-123456789012345678901')).toBe(-123456789012345678901n);
    expect(() => parseBigInt('1.5')).toThrow('"1.5" is not a whole number');
  });

  it('take paths, and say what is wrong with one', () => {
    expect(parsePath('a/b')).toEqual(['a', 'b']);
    expect(() => parsePath('a//b')).toThrow('is not a path');
    expect(() => parsePath('')).toThrow('is not a path');
  });
});

describe('layout', () => {
  it('breaks lines at spaces and keeps long words whole', () => {
    expect(wrap('aa bb cc', 5)).toBe('aa bb\ncc');
    expect(wrap('aaaaaaaa b', 5)).toBe('aaaaaaaa\nb');
  });

  it('sets text in, so that no text of others starts a line', () => {
    const pipe = { write: () => undefined, isTTY: false, columns: 80 };
    expect(paragraph(pipe, '#9  HOST → you\nx', 4)).toBe(
      '    #9  HOST → you\n    x',
    );
  });
});
