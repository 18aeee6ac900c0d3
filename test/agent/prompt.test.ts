import { encode } from 'gpt-tokenizer';
import { expect, it } from 'vitest';

import { makeSystemPrompt } from '../../src/agent/prompt.ts';
import { hostToolDefinitions } from '../../src/guest-tools/tool-sets.ts';

const prompt = makeSystemPrompt({ name: 'hob' });

it('has at most 800 words', () => {
  expect(prompt.split(/\s+/u).length).toBeLessThanOrEqual(800);
});

it('costs at most 2,700 tokens with the schemas of all static tools', () => {
  const schemas = JSON.stringify(
    hostToolDefinitions.map(({ schema }) => schema),
  );
  expect(encode(prompt).length + encode(schemas).length).toBeLessThanOrEqual(
    2_700,
  );
});

it.each([
  'HOST',
  'SELF',
  'edgeNames',
  '*bold*',
  '/italic/',
  '_underline_',
  '~strike~',
  'granted',
  'rejected',
  'countered',
  'E, Far, makeExo, M, TextEncoder, TextDecoder, URL, console, assert',
  'interrupted, outcome unknown',
  'Strangers',
])('teaches %s', (topic) => {
  expect(prompt).toContain(topic);
});
