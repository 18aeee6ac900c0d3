import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { readAnswerParts } from '../../src/model/answer-parts.ts';
import {
  extractToolCalls,
  visibleText,
} from '../../src/model/text-tool-calls.ts';

const extract = (content: string) => {
  let count = 0;
  const makeId = () => `t${(count += 1)}`;
  const {
    content: rest,
    toolCalls,
    problems,
  } = extractToolCalls(content, { makeId });
  const calls = toolCalls.map(({ name, argumentsText }) => [
    name,
    argumentsText,
  ]);
  return { rest, calls, problems: problems.length };
};

const one =
  '<tool_call>{"name":"list","arguments":{"petNamePath":["a"]}}</tool_call>';
const oneCall = ['list', '{"petNamePath":["a"]}'];

type Row = [
  behaviour: string,
  content: string,
  calls: unknown[],
  visible: string,
];

const table: Row[] = [
  ['one call', one, [oneCall], ''],
  ['a call after prose', `I look.\n${one}`, [oneCall], 'I look.'],
  ['prose after a call', `${one}\nDone soon.`, [oneCall], 'Done soon.'],
  ['several calls', `${one}\n${one}`, [oneCall, oneCall], ''],
  ['an unclosed last call', one.replace('</tool_call>', ''), [oneCall], ''],
  [
    'an unclosed call that lacks its last bracket',
    '<tool_call>{"name":"list","arguments":{"petNamePath":["a"]}',
    [oneCall],
    '',
  ],
  [
    'an unclosed call before another',
    `${one.replace('</tool_call>', '\n')}${one}`,
    [oneCall, oneCall],
    '',
  ],
  [
    'a closing tag inside of a string',
    '<tool_call>{"name":"send","arguments":{"strings":["a </tool_call> b"]}}</tool_call> ok',
    [['send', '{"strings":["a </tool_call> b"]}']],
    'ok',
  ],
  [
    'an opening tag and a think tag inside of a string',
    '<tool_call>{"name":"send","arguments":{"strings":["<tool_call>{ \\" </think>"]}}</tool_call>',
    [['send', '{"strings":["<tool_call>{ \\" </think>"]}']],
    '',
  ],
  [
    'arguments as JSON text',
    '<tool_call>{"name":"a","arguments":"{\\"b\\":1}"}</tool_call>',
    [['a', '{"b":1}']],
    '',
  ],
  [
    'parameters for arguments',
    '<tool_call>{"name":"a","parameters":{"b":1}}</tool_call>',
    [['a', '{"b":1}']],
    '',
  ],
  ['no arguments', '<tool_call>{"name":"a"}</tool_call>', [['a', '{}']], ''],
  [
    'null as arguments',
    '<tool_call>{"name":"a","arguments":null}</tool_call>',
    [['a', '{}']],
    '',
  ],
  [
    'arguments before the name',
    '<tool_call>{"arguments":{"b":"}"},"name":"a"}</tool_call>',
    [['a', '{"b":"}"}']],
    '',
  ],
  [
    'the form of the wire',
    '<tool_call>{"type":"function","function":{"name":"a","arguments":{"b":1}}}</tool_call>',
    [['a', '{"b":1}']],
    '',
  ],
  [
    'a list of calls',
    '<tool_call>[{"name":"a"},{"name":"b"}]</tool_call>',
    [
      ['a', '{}'],
      ['b', '{}'],
    ],
    '',
  ],
  [
    'a fenced call',
    '<tool_call>\n```json\n{"name":"a"}\n```\n</tool_call>',
    [['a', '{}']],
    '',
  ],
  [
    'a bracket too many',
    '<tool_call>{"name":"a","arguments":{}}}</tool_call>',
    [['a', '{}']],
    '',
  ],
  [
    'a large number, digit by digit',
    '<tool_call>{"name":"a","arguments":{"n":12345678901234567890}}</tool_call>',
    [['a', '{"n":12345678901234567890}']],
    '',
  ],
  ['a call in a think block', `<think>maybe ${one}</think>No.`, [], 'No.'],
  ['a call after a think block', `<think>hm</think>${one}`, [oneCall], ''],
  [
    'a call in an unclosed think block',
    `Well. <think>maybe ${one}`,
    [],
    'Well.',
  ],
  [
    'a call before a lone closing think tag',
    `maybe ${one}</think>No.`,
    [],
    'No.',
  ],
  ['a lone closing think tag at the start', `</think>\n\nHello.`, [], 'Hello.'],
  ['a stray closing think tag later', '<think>a</think>b</think>c', [], 'bc'],
  [
    'malformed arguments with a readable name',
    '<tool_call>{"name":"a","arguments":{b:\'x\'}}</tool_call>',
    [['a', "{b:'x'}"]],
    '',
  ],
  [
    'an unescaped quote in a string',
    '<tool_call>{"name":"a","arguments":{"b":"say "hi" <now>"}}</tool_call> after',
    [['a', '{"b":"say "hi" <now>"}']],
    'after',
  ],
  ['an empty answer', '', [], ''],
  ['nothing but white space', ' \n ', [], ''],
];

describe('tool calls in the text of an answer', () => {
  it.each(table)('%s', (_behaviour, content, calls, visible) => {
    expect(extract(content)).toMatchObject({ calls, problems: 0 });
    expect(visibleText(content)).toBe(visible);
  });

  it('reports a call whose tool cannot be read, and shows it to nobody', () => {
    const content = 'Look: <tool_call>{name: list}</tool_call>';
    expect(extract(content)).toEqual({ rest: 'Look:', calls: [], problems: 1 });
    expect(visibleText(content)).toBe('Look:');
    const { problems } = extractToolCalls(content, { makeId: () => 'x' });
    expect(problems[0]).toContain('{name: list}');
  });

  it('leaves a tag that is only mentioned where it is', () => {
    const content = 'A <tool_call> tag opens a call, </tool_call> closes it.';
    expect(extract(content)).toEqual({ rest: content, calls: [], problems: 0 });
    expect(visibleText(content)).toBe(content);
  });

  it.each([
    'Use the `<think>` tag to think, then answer.',
    'Close it with `</think>` and go on.',
    'It writes "<think>" and "</think>" around it.',
    "Between '<think>' and '</think>' it thinks.",
  ])('takes a think tag in quotes for text: %s', (content) => {
    expect(visibleText(content)).toBe(content);
    expect(extract(`${content} ${one}`).calls).toEqual([oneCall]);
  });

  it('leaves a call that stands in what others wrote where it is', () => {
    const quoted = '{"name":"remove","arguments":{}}';
    const content = `He wrote <tool_call>${quoted}</tool_call>. ${one}`;
    const { content: rest, toolCalls } = extractToolCalls(content, {
      makeId: () => 'x',
      isQuoted: (json) => json === quoted,
    });
    expect(toolCalls.map(({ name }) => name)).toEqual(['list']);
    expect(rest).toContain(quoted);
  });

  it('keeps think blocks in the content, which is the record of what was said', () => {
    expect(extract(`<think>hm</think>I look. ${one}`).rest).toBe(
      '<think>hm</think>I look.',
    );
  });

  it('gives each call an id of its own', () => {
    let count = 0;
    const makeId = () => `t${(count += 1)}`;
    const { toolCalls } = extractToolCalls(one + one, { makeId });
    expect(toolCalls.map(({ id }) => id)).toEqual(['t1', 't2']);
  });
});

const pieces = fc.constantFrom(
  '<think>',
  '</think>',
  '<tool_call>',
  '</tool_call>',
  '{',
  '}',
  '[',
  '"',
  '\\',
  '```json\n',
  '{"name":"a","arguments":{"b":"c"}}',
  ' ',
  'x',
);
const messy = fc
  .array(fc.oneof(pieces, fc.string()), { maxLength: 30 })
  .map((list) => list.join(''));

describe('answers of any shape', () => {
  it('are taken apart without loss and without an exception', () => {
    fc.assert(
      fc.property(messy, (content) => {
        const parts = readAnswerParts(content);
        expect(parts.map(({ source }) => source).join('')).toBe(content);
        extractToolCalls(content, { makeId: () => 'x' });
        visibleText(content);
      }),
      { numRuns: 1000 },
    );
  });

  it('are the same however the stream was split', () => {
    fc.assert(
      fc.property(messy, fc.array(fc.nat(400)), (content, cuts) => {
        const places = [
          0,
          ...cuts.map((cut) => cut % (content.length + 1)),
          content.length,
        ];
        places.sort((a, b) => a - b);
        const chunks = places.map((from, index) =>
          content.slice(from, places[index + 1] ?? from),
        );
        expect(extract(chunks.join(''))).toEqual(extract(content));
      }),
    );
  });

  it('are unchanged when they are plain prose', () => {
    const prose = fc
      .string()
      .filter((text) => !/<\/?(think|tool_call)>/.test(text));
    fc.assert(
      fc.property(prose, (content) => {
        expect(extract(content)).toEqual({
          rest: content,
          calls: [],
          problems: 0,
        });
        expect(visibleText(content)).toBe(content.trim());
      }),
    );
  });

  it.each([
    '<tool_call>{"',
    '<tool_call>{"x\\',
    '<think></think>',
    '</think>',
    '<tool_call>{',
    '<tool_call>[[',
    '{"a":',
  ])('are read in linear time when they repeat %s', (unit) => {
    const read = (count: number): number => {
      const text = unit.repeat(count);
      const start = performance.now();
      extractToolCalls(text, { makeId: () => 'x' });
      return performance.now() - start;
    };
    const best = (count: number): number =>
      Math.min(...Array.from({ length: 5 }, () => read(count)));
    best(1_000);
    // Sixteen times as much takes a linear reader sixteen times as long, and a
    // quadratic one 256 times: between them there is room for a busy machine.
    expect(best(20_000) / best(1_250)).toBeLessThan(100);
  });
});
