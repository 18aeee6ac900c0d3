import { describe, expect, it } from 'vitest';

import { parseConfig } from '../src/config.ts';

const TOKEN = 'sk-not-to-be-shown';

it('has a default for everything', () => {
  expect(parseConfig({})).toMatchObject({
    name: 'hob',
    model: {
      provider: 'ollama',
      host: 'http://localhost:11434',
      model: 'qwen3',
      contextTokens: 32_768,
      timeoutMs: 120_000,
    },
    open: [],
    maxSteps: 30,
    maxConcurrent: 4,
    toolTimeoutMs: 120_000,
  });
});

it.each([
  ['http://localhost:8080/v1', 'openai', 'qwen3', 4096],
  ['https://api.anthropic.com', 'anthropic', 'claude-opus-4-5-20251101', 8192],
  ['http://localhost:11434', 'ollama', 'qwen3', undefined],
  ['practice:', 'practice', 'rules', undefined],
])('has the defaults of the provider at %s', (host, provider, name, tokens) => {
  const { model } = parseConfig({ LAL_HOST: host });
  expect(model).toMatchObject({ provider, model: name });
  expect('maxTokens' in model ? model.maxTokens : undefined).toBe(tokens);
});

it.each(['https://api.anthropic.com', 'http://x/v1', 'http://x'])(
  'has the token and all limits for %s',
  (host) => {
    const { model } = parseConfig({
      LAL_HOST: host,
      LAL_AUTH_TOKEN: ` ${TOKEN}\n`,
      LAL_MAX_TOKENS: '1',
      LAL_CONTEXT_TOKENS: '2',
      LAL_MAX_MESSAGES: '3',
      LAL_MODEL_TIMEOUT_MS: '4',
    });
    expect(model).toMatchObject({
      maxTokens: 1,
      contextTokens: 2,
      maxMessages: 3,
      timeoutMs: 4,
    });
    expect('authToken' in model && model.authToken.reveal()).toBe(TOKEN);
  },
);

it('does not repeat a token that cannot be sent', () => {
  const parse = () => parseConfig({ LAL_AUTH_TOKEN: `${TOKEN} and more` });
  expect(parse).toThrow(/LAL_AUTH_TOKEN has a character that no key has/u);
  expect(parse).not.toThrow(TOKEN);
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
    [
      { LAL_PROVIDER: 'ollama', LAL_HOST: 'practice:' },
      /LAL_PROVIDER is ollama and LAL_HOST is "practice:"/u,
    ],
    [{ LAL_CONTEXT_TOKENS: '32k' }, /LAL_CONTEXT_TOKENS is "32k"/u],
    [{ LAL_MAX_MESSAGES: '0' }, /LAL_MAX_MESSAGES is "0"/u],
    [{ LAL_MAX_TOKENS: '-1' }, /LAL_MAX_TOKENS is "-1"/u],
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
