import { encode as encodeOlder } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';

import type { ChatMessage } from '../../src/model/chat.ts';
import { makeTokenEstimate } from '../../src/transcript/estimate.ts';

const PROSE =
  'When the wind turned at dusk, the ferrymen tied their boats to the old pier and waited for the fog to lift. Nobody spoke of the light on the island. ';
const CODE =
  'export const total = (items: readonly Item[]): number =>\n  items.reduce((sum, { price }) => sum + price, 0);\n';
const JSON_TEXT = JSON.stringify({
  number: 9,
  from: 'bob',
  names: ['a', 'b'],
  date: '2026-01-01T00:00:00.000Z',
});
const IDS = Array.from({ length: 8 }, (_each, index) =>
  (BigInt('0x9e3779b97f4a7c15f39cc0605cedc834') ** BigInt(index + 2))
    .toString(16)
    .slice(0, 64),
).join(' ');

describe('an estimate before anything was counted', () => {
  it.each([
    ['prose', PROSE.repeat(10)],
    ['code', CODE.repeat(10)],
    ['JSON', JSON_TEXT.repeat(10)],
    ['ids', IDS],
  ])('is about right for %s, and rather too high', (_what, text) => {
    const share = makeTokenEstimate().ofText(text) / encode(text).length;
    expect(share).toBeGreaterThan(0.95);
    expect(share).toBeLessThan(1.4);
  });

  it.each([
    ['Chinese', '今天的天气很好，我们打算去公园散步，然后一起吃午饭。'],
    [
      'Russian',
      'Завтра обещают дождь и сильный ветер, поэтому поезд опоздает.',
    ],
    ['emoji', '🍋🍊🚢⚓'],
  ])('lies between an older and a newer vocabulary for %s', (_what, text) => {
    const tokens = makeTokenEstimate().ofText(text);
    expect(tokens).toBeGreaterThan(encodeOlder(text).length * 0.7);
    expect(tokens).toBeGreaterThanOrEqual(encode(text).length);
    expect(tokens).toBeLessThan(encode(text).length * 2);
  });
});

describe('an estimate that has seen counts', () => {
  const messages: readonly ChatMessage[] = [
    { role: 'user', content: PROSE.repeat(10) },
  ];

  it('goes up at once', () => {
    const estimate = makeTokenEstimate();
    const before = estimate.of({ messages });
    estimate.learn({ messages }, before * 2);
    expect(estimate.of({ messages })).toBe(before * 2);
  });

  it('comes down by and by, and no further than is safe', () => {
    const estimate = makeTokenEstimate();
    const before = estimate.of({ messages });
    estimate.learn({ messages }, before * 0.9);
    expect(estimate.of({ messages })).toBeGreaterThan(before * 0.95);
    for (let index = 0; index < 50; index += 1) {
      estimate.learn({ messages }, before * 0.6);
    }
    expect(estimate.of({ messages })).toBeCloseTo(before * 0.85, -1);
  });

  it('does not believe a count that cannot be', () => {
    const estimate = makeTokenEstimate();
    const before = estimate.of({ messages });
    estimate.learn({ messages }, 10);
    expect(estimate.of({ messages })).toBe(before);
    estimate.learn({ messages }, before * 1000);
    expect(estimate.of({ messages })).toBeLessThan(before * 3);
  });
});

it('counts the arguments of calls and the schemas of tools', () => {
  const estimate = makeTokenEstimate();
  const call = { id: 'a', name: 'store', argumentsText: PROSE };
  const message: ChatMessage = {
    role: 'assistant',
    content: '',
    toolCalls: [call],
  };
  const bare = estimate.of({ messages: [{ ...message, toolCalls: [] }] });
  const whole = estimate.of({ messages: [message] });
  expect(whole).toBeGreaterThan(bare + encode(PROSE).length);
  const tools = [
    {
      type: 'function',
      function: { name: 'a', description: PROSE, parameters: {} },
    },
  ] as const;
  expect(estimate.of({ messages: [message], tools })).toBeGreaterThan(
    whole + encode(PROSE).length,
  );
});
