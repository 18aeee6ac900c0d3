import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

import { makeAnthropicModel } from '../../providers/anthropic.ts';
import { makeOpenAiCompatibleModel } from '../../providers/openai-compatible.ts';
import {
  makeFixtureFetch,
  makeRecipeRequest,
  recipeAnswer,
} from '../support/recipe-conversation.ts';
import { rejection } from '../support/chat-model.ts';

const read = (path: string): string =>
  readFileSync(new URL(`../fixtures/${path}`, import.meta.url), 'utf8');

const SSE = 'text/event-stream; charset=utf-8';
const common = { maxTokens: 1024, timeoutMs: 30_000 };

/** The answer that was recorded, its calls with these ids. */
const answerWithCalls = (ids: readonly string[]) => {
  const { content, calls, stop, usage } = recipeAnswer;
  const toolCalls = calls.map((call, index) => ({ id: ids[index], ...call }));
  return { message: { role: 'assistant', content, toolCalls }, stop, usage };
};

describe('the recorded wire of Anthropic', () => {
  const ids = [
    'toolu_01A09q90qw90lq917835lq9',
    'toolu_01B16r01rx01mr028946mr0',
  ] as const;
  const modelWith = (fetch: typeof globalThis.fetch) =>
    makeAnthropicModel({
      ...common,
      baseURL: 'http://127.0.0.1:1',
      model: 'claude-opus-4-5-20251101',
      fetch,
    });

  it('is what we ask, and is read as it was meant', async () => {
    const { asked, fetch } = makeFixtureFetch(
      read('anthropic/answer.sse'),
      SSE,
    );
    const answer = await modelWith(fetch).chat(makeRecipeRequest(ids));
    expect(asked).toEqual([
      {
        url: 'http://127.0.0.1:1/v1/messages',
        body: JSON.parse(read('anthropic/request.json')) as unknown,
      },
    ]);
    expect(answer).toEqual(
      answerWithCalls([
        'toolu_01C27s12sy12ns139057ns1',
        'toolu_01D38t23tz23ot240168ot2',
      ]),
    );
  });

  it('has errors that are read as they were meant', async () => {
    const { fetch } = makeFixtureFetch(
      read('anthropic/error.json'),
      'application/json',
      529,
    );
    const error = await rejection(
      modelWith(fetch).chat(makeRecipeRequest(ids)),
    );
    expect(error).toMatchObject({ kind: 'server', status: 529 });
    expect(error.message).toContain('Overloaded (overloaded_error)');
  });
});

describe('the recorded wire of OpenAI', () => {
  it('is what we ask, and is read as it was meant', async () => {
    const { asked, fetch } = makeFixtureFetch(read('openai/answer.sse'), SSE);
    const model = makeOpenAiCompatibleModel({
      ...common,
      baseURL: 'http://127.0.0.1:1/v1',
      model: 'qwen3',
      fetch,
    });
    const answer = await model.chat(
      makeRecipeRequest(['call_abc123', 'call_def456']),
    );
    expect(asked).toEqual([
      {
        url: 'http://127.0.0.1:1/v1/chat/completions',
        body: JSON.parse(read('openai/request.json')) as unknown,
      },
    ]);
    expect(answer).toEqual(answerWithCalls(['call_ghi789', 'call_jkl012']));
  });
});
