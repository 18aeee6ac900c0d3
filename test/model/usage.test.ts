import { expect, it } from 'vitest';

import type { ChatAnswer } from '../../src/model/chat.ts';
import { addUsage, noUsage, usageOf } from '../../src/model/usage.ts';

const answerWith = (usage: ChatAnswer['usage']): ChatAnswer => ({
  message: { role: 'assistant', content: 'a'.repeat(400), toolCalls: [] },
  stop: 'end',
  usage,
});

const request = {
  messages: [{ role: 'user', content: 'b'.repeat(4000) }],
  tools: [],
} as const;

it('is what the server reports', () => {
  const usage = { input: 7, cached: 3, output: 2 };
  expect(usageOf(request, answerWith(usage))).toEqual(usage);
});

it('is estimated by length when the server reports none', () => {
  const { input, cached, output } = usageOf(request, answerWith(noUsage));
  expect(input).toBeGreaterThan(1000);
  expect(input).toBeLessThan(1100);
  expect(cached).toBe(0);
  expect(output).toBeGreaterThan(100);
  expect(output).toBeLessThan(200);
});

it('is summed kind by kind', () => {
  const one = { input: 1, cached: 2, output: 3 };
  expect(addUsage(one, { input: 10, cached: 20, output: 30 })).toEqual({
    input: 11,
    cached: 22,
    output: 33,
  });
});
