import { describe, expect, it } from 'vitest';

import { parseConfig } from '../src/config.ts';

const TOKEN = 'sk-not-to-be-shown';

it('has a default for everything', () => {
  expect(parseConfig({})).toMatchObject({
    name: 'hob',
    model: { provider: 'practice' },
    open: [],
    maxSteps: 30,
    maxConcurrent: 4,
    toolTimeoutMs: 120_000,
  });
});

it('takes the provider from the URL, and LAL_PROVIDER over it', () => {
  const host = 'http://localhost:8080/v1';
  expect(parseConfig({ LAL_HOST: host }).model.provider).toBe('openai');
  expect(
    parseConfig({ LAL_HOST: host, LAL_PROVIDER: 'ollama' }).model.provider,
  ).toBe('ollama');
});

it('does not show the token, however the configuration is printed', async () => {
  const { inspect } = await import('node:util');
  const config = parseConfig({
    LAL_HOST: 'http://localhost:8080/v1',
    LAL_AUTH_TOKEN: TOKEN,
  });
  const shown = [
    inspect(config, { depth: 9, showHidden: true }),
    JSON.stringify(config),
  ].join('\n');
  expect(shown).not.toContain(TOKEN);
});

describe('a wrong value is an error that names the variable and what it must be', () => {
  it.each([
    [{ LAL_MAX_STEPS: 'many' }, /LAL_MAX_STEPS is "many".*whole number/u],
    [{ LAL_MAX_STEPS: '0' }, /LAL_MAX_STEPS is "0"/u],
    [{ LAL_TOOL_TIMEOUT_MS: '1e9' }, /LAL_TOOL_TIMEOUT_MS/u],
    [{ LAL_OPEN: 'bob, Eve!' }, /LAL_OPEN holds "Eve!"/u],
    [{ LAL_HOST: 'localhost:11434' }, /LAL_HOST.*not a URL/u],
    [{ LAL_PROVIDER: 'oracle' }, /"oracle"/u],
    [{ LAL_MODLE: 'qwen3' }, /no variable LAL_MODLE.*LAL_MODEL/u],
  ])('%j', (env, message) => {
    expect(() => parseConfig(env as { [name: string]: string })).toThrow(
      message,
    );
  });
});

it('reads names with commas or spaces between them', () => {
  expect(parseConfig({ LAL_OPEN: 'bob, eve  carol' }).open).toEqual([
    'bob',
    'eve',
    'carol',
  ]);
});
