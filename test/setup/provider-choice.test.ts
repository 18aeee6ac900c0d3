import { describe, expect, it } from 'vitest';
import { findProvider, hostOfProvider } from '../../setup/provider-choice.ts';
import { selectProvider } from '../../src/model/model-config.ts';
import type { Fetch } from '../../setup/provider-choice.ts';

const answering =
  (body: unknown, ok = true): Fetch =>
  () =>
    Promise.resolve({ ok, json: () => Promise.resolve(body) });

const models = (...names: string[]): Fetch =>
  answering({ models: names.map((name) => ({ name })) });

describe('the choice of a model', () => {
  it('asks the default port of an Ollama, with a time limit', async () => {
    const asked: unknown[] = [];
    await findProvider((url, { signal }) => {
      asked.push(url, signal instanceof AbortSignal);
      return Promise.reject(Error('refused'));
    }, undefined);
    expect(asked).toEqual(['http://localhost:11434/api/tags', true]);
  });

  it('takes qwen3 of an Ollama, whatever else there is', async () => {
    expect(await findProvider(models('a:1', 'qwen3:8b'), undefined)).toEqual({
      host: 'http://localhost:11434',
      model: 'qwen3:8b',
      by: 'found',
    });
  });

  it('takes the first model where there is no qwen3', async () => {
    const { model } = await findProvider(models('a:1', 'b'), undefined);
    expect(model).toBe('a:1');
  });

  it('takes the model that was asked for', async () => {
    const { model } = await findProvider(models('a:1'), 'mine');
    expect(model).toBe('mine');
  });

  it('practises, and says what to pull, with an empty Ollama', async () => {
    const choice = await findProvider(models(), undefined);
    expect(choice.host).toBe('practice:');
    expect(choice.note).toContain('ollama pull qwen3');
  });

  it.each<[string, Fetch]>([
    ['nothing answers', () => Promise.reject(Error('refused'))],
    ['the answer is an error', answering({}, false)],
    ['the answer is something else', answering('hello')],
    ['the answer is null', answering(null)],
  ])('practises when %s', async (_when, fetch) => {
    const choice = await findProvider(fetch, undefined);
    expect(choice).toMatchObject({ host: 'practice:', by: 'default' });
    expect(choice.note).toContain('LAL_HOST');
  });
});

describe('a provider that is named without a host', () => {
  it.each([
    ['anthropic', 'https://api.anthropic.com'],
    ['ollama', 'http://localhost:11434'],
    ['practice', 'practice:'],
  ])('%s is at %s', (provider, host) => {
    expect(hostOfProvider(provider)).toBe(host);
    expect(selectProvider(host)).toBe(provider);
  });

  it('asks for one where it could be anywhere', () => {
    expect(() => hostOfProvider('openai')).toThrow(/set LAL_HOST/u);
  });
});
