import { describe, expect, it } from 'vitest';

import { selectProvider } from '../../src/model/model-config.ts';

describe('the provider of a host', () => {
  it.each([
    ['https://api.anthropic.com', 'anthropic'],
    ['https://anthropic.com/v1', 'anthropic'],
    ['https://api.anthropic.com.', 'anthropic'],
    ['https://notanthropic.com', 'ollama'],
    ['https://example.com/anthropic.com/v1', 'openai'],
    ['https://anthropic.com.example.com/v1', 'openai'],
    ['http://localhost:8080/v1', 'openai'],
    ['https://example.com/openai/v1/', 'openai'],
    ['http://localhost:11434', 'ollama'],
    ['http://v1.example.com/', 'ollama'],
    ['practice:', 'practice'],
  ])('%s is %s', (host, provider) => {
    expect(selectProvider(host)).toBe(provider);
  });

  it('is what the override says', () => {
    expect(selectProvider('http://localhost:1234', 'openai')).toBe('openai');
    expect(selectProvider('http://localhost:1234', '')).toBe('ollama');
  });

  it('is refused when nobody knows it, naming those there are', () => {
    expect(() => selectProvider('http://localhost', 'gemini')).toThrow(
      /"gemini".*practice/,
    );
  });

  it.each(['localhost:11434', 'ollama', ''])(
    'is refused for %j, which is not a URL',
    (host) => {
      expect(() => selectProvider(host)).toThrow(
        /LAL_HOST.*http:\/\/localhost:11434/,
      );
    },
  );

  it('is refused for a URL with a password, which is not repeated', () => {
    const select = () => selectProvider('http://u:hunter2@localhost');
    expect(select).toThrow(/LAL_HOST has a user name or a password/);
    expect(select).not.toThrow(/hunter2/);
  });

  it('is no other than practice at "practice:"', () => {
    expect(selectProvider('practice:', 'practice')).toBe('practice');
    expect(() => selectProvider('practice:', 'ollama')).toThrow(/LAL_HOST/);
  });
});
