import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Anthropic } from '@anthropic-ai/sdk';

import { makeAnthropicModel } from '../../providers/anthropic.ts';
import { withRetry } from '../../src/model/retry.ts';
import { makeSecret } from '../../src/model/secret.ts';
import { itReportsFailures } from '../contract/chat-failures.ts';
import { anthropicWire } from '../support/anthropic-model.ts';
import { badAnthropicReplies } from '../support/anthropic-server.ts';
import type {
  AnthropicReply,
  AnthropicScript,
} from '../support/anthropic-server.ts';
import {
  ask,
  rejection,
  serveOn,
  TOKEN,
  watchConsole,
} from '../support/chat-model.ts';
import type { Fetch } from '../support/chat-model.ts';

const { modelAt } = anthropicWire;
const serve = (script: AnthropicScript) => serveOn(anthropicWire, script);
const bad = badAnthropicReplies;
const invalid = (error: string): AnthropicReply => ({
  status: 400,
  errorType: 'invalid_request_error',
  error,
});

describe('a server of the Anthropic wire that fails', () => {
  itReportsFailures(anthropicWire, [
    [
      'a token that a gateway refuses',
      invalid('Invalid API key provided'),
      'auth',
      /LAL_AUTH_TOKEN/,
    ],
    ['a model that is not allowed', bad.forbidden, 'auth', /LAL_AUTH_TOKEN/],
    ['no credit', bad.noCredit, 'auth', /credit/],
    [
      'no way to pay',
      { status: 402, errorType: 'billing_error', error: 'payment' },
      'auth',
      /credit/,
    ],
    [
      'a conversation that is too long',
      bad.overflow,
      'overflow',
      /larger context/,
    ],
    [
      'a conversation that leaves no room for an answer',
      invalid(
        'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000',
      ),
      'overflow',
      /larger context/,
    ],
    ['a request that is too large', bad.tooLarge, 'overflow', /larger context/],
    [
      'a longer answer than the model can give',
      invalid(
        'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-scripted',
      ),
      'bad-request',
      /LAL_MAX_TOKENS/,
    ],
    ['a bad request', invalid('messages: no'), 'bad-request', /LAL_HOST/],
    ['too much to do', bad.overloaded, 'server', /later/],
    ['an empty document', { raw: '' }, 'bad-response', /LAL_HOST/],
    [
      'an error with status 200',
      { raw: '{"type":"error","error":{"type":"overloaded_error"}}' },
      'server',
      /log/,
    ],
  ]);

  it('is asked again after its time when it is overloaded', async () => {
    const { server, model } = await serve([bad.overloaded, { text: 'now' }]);
    const waits: number[] = [];
    const wait = (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    };
    const patient = withRetry(model, { wait, random: () => 0, maxAttempts: 3 });
    expect((await patient.chat(ask())).message.content).toBe('now');
    expect(waits).toEqual([3000]);
    expect(server.requests).toHaveLength(2);
  });
});

describe('the token of the Anthropic wire', () => {
  /** A `fetch` that keeps what it is asked, and answers "ok". */
  const makeRecorder = () => {
    const asked: { url: string; headers: Headers }[] = [];
    const fetch: Fetch = (url, init) => {
      if (typeof url !== 'string') throw Error('not a text');
      asked.push({ url, headers: new Headers(init?.headers) });
      return Promise.resolve(new Response('{"type":"message","content":[]}'));
    };
    return { asked, fetch };
  };

  it('is asked for before anything is sent to Anthropic itself', async () => {
    const { asked, fetch } = makeRecorder();
    for (const host of [
      'https://api.anthropic.com',
      'https://ANTHROPIC.com./v1',
    ]) {
      const error = await rejection(modelAt(host, { fetch }).chat(ask()));
      expect(error.kind).toBe('auth');
      expect(error.remedy).toContain('LAL_AUTH_TOKEN');
    }
    expect(asked).toEqual([]);
  });

  it('is sent to Anthropic as its SDK does', async () => {
    const { asked, fetch } = makeRecorder();
    await modelAt('https://api.anthropic.com/v1/', {
      fetch,
      token: ` ${TOKEN}\n`,
    }).chat(ask());
    expect(asked[0]?.url).toBe('https://api.anthropic.com/v1/messages');
    expect(asked[0]?.headers.get('authorization')).toBe(`Bearer ${TOKEN}`);
    expect(asked[0]?.headers.get('x-api-key')).toBe(null);
  });

  it('is sent to other servers in both ways, and not at all when there is none', async () => {
    const { asked, fetch } = makeRecorder();
    await modelAt('https://gateway.example', { fetch, token: TOKEN }).chat(
      ask(),
    );
    await modelAt('https://notanthropic.com', { fetch }).chat(ask());
    const sent = asked.map(({ headers }) => [
      headers.get('authorization'),
      headers.get('x-api-key'),
    ]);
    expect(sent).toEqual([
      [`Bearer ${TOKEN}`, TOKEN],
      [null, null],
    ]);
  });
});

describe('the environment', () => {
  const foreign = {
    ANTHROPIC_API_KEY: 'key-of-the-environment',
    ANTHROPIC_AUTH_TOKEN: 'token-of-the-environment',
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/environment',
    ANTHROPIC_CUSTOM_HEADERS:
      'X-Foreign: environment\nAuthorization: Bearer environment',
    ANTHROPIC_LOG: 'debug',
    ANTHROPIC_PROFILE: 'environment',
    ANTHROPIC_CONFIG_DIR: '/environment',
  };

  it('reaches neither the server nor the console through the SDK', async () => {
    for (const [name, value] of Object.entries(foreign))
      vi.stubEnv(name, value);
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const lines = watchConsole();
    const { server } = await serve([
      { text: 'ok' },
      bad.serverError,
      bad.dropped,
    ]);
    for (const token of [undefined, TOKEN]) {
      const model = makeAnthropicModel({
        baseURL: server.url,
        // The SDK warns about this one.
        model: 'claude-sonnet-4-5',
        ...(token === undefined ? {} : { authToken: makeSecret(token) }),
        maxTokens: 5,
        timeoutMs: 30_000,
        fetch: globalThis.fetch,
      });
      await model.chat(ask()).catch((error: unknown) => error);
    }
    const seen = server.requests.map(({ headers, path }) =>
      JSON.stringify({ headers, path }),
    );
    expect(seen).toHaveLength(2);
    expect(seen.join('\n')).not.toContain('environment');
    expect(server.requests[1]?.headers['authorization']).toBe(
      `Bearer ${TOKEN}`,
    );
    expect(lines).toEqual([]);
  });

  it('is not described to the server', async () => {
    const { server, model } = await serve([{ text: 'ok' }]);
    await model.chat(ask());
    const names = Object.keys(server.requests[0]?.headers ?? {});
    expect(names.filter((name) => name.startsWith('x-stainless'))).toEqual([]);
  });
});

it('asks for the version of the API that the SDK asks for', async () => {
  const versions: (string | null)[] = [];
  const fetch: Fetch = (_url, init) => {
    versions.push(new Headers(init?.headers).get('anthropic-version'));
    return Promise.resolve(new Response('{"type":"message","content":[]}'));
  };
  const sdk = new Anthropic({ apiKey: 'x', fetch, logLevel: 'off' });
  await sdk.messages.create({
    model: 'claude-scripted',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'x' }],
  });
  await modelAt('http://127.0.0.1:1', { fetch }).chat(ask());
  expect(versions[0]).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(versions[1]).toBe(versions[0]);
});
