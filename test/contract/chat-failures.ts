import { expect, it } from 'vitest';

import { createModel } from '../../providers/index.ts';
import { parseConfig } from '../../src/config.ts';
import { withRetry } from '../../src/model/retry.ts';
import {
  ask,
  everythingOf,
  rejection,
  serveOn,
  TOKEN,
  watchConsole,
} from '../support/chat-model.ts';
import type { ChatWire } from '../support/chat-model.ts';
import type { ModelReply } from '../support/model-replies.ts';
import type { ContractWire } from './contract-wire.ts';

export type Failure<Reply> = readonly [
  what: string,
  reply: Reply,
  kind: string,
  remedy: RegExp,
];

/** Each failure ends the call, in words that help and that hold no token. */
export const itReportsFailures = <Body, Reply extends ModelReply>(
  wire: ChatWire<Body, Reply>,
  failures: readonly Failure<Reply>[],
): void => {
  it.each(failures)(
    'with %s is reported with a remedy, once, without the token, and nowhere else',
    async (_what, reply, kind, remedy) => {
      const lines = watchConsole();
      const { server, model } = await serveOn(wire, [reply]);
      const error = await rejection(model.chat(ask()));
      expect(error.kind).toBe(kind);
      expect(error.remedy).toMatch(remedy);
      expect(everythingOf(error)).not.toContain(TOKEN);
      expect(server.requests).toHaveLength(1);
      expect(lines).toEqual([]);
    },
  );
};

const failuresOf = ({
  bad,
  toErrorInAnswer,
  toErrorInStream,
}: ContractWire): readonly Failure<ModelReply>[] => [
  ['a token that is refused', bad.unauthorized, 'auth', /LAL_AUTH_TOKEN/],
  ['a model that is not there', bad.missingModel, 'missing-model', /LAL_MODEL/],
  ['a path that is not there', bad.noSuchPath, 'bad-request', /LAL_HOST/],
  ['too many requests', bad.tooMany, 'rate-limit', /Wait/],
  [
    'a conversation that is too long',
    bad.overflow,
    'overflow',
    /new conversation/,
  ],
  ['a broken server', bad.serverError, 'server', /log/],
  ['an answer that is not JSON', bad.notJson, 'bad-response', /LAL_HOST/],
  ['an answer without a message', bad.noMessage, 'bad-response', /LAL_HOST/],
  ['JSON that is no answer', { raw: 'null' }, 'bad-response', /LAL_HOST/],
  ['a number', { raw: '5\n' }, 'bad-response', /LAL_HOST/],
  ['an error with status 200', toErrorInAnswer('x'), 'server', /log/],
  ['an error in its stream', toErrorInStream('x'), 'server', /log/],
  ['a stream that is not JSON', bad.brokenStream, 'bad-response', /LAL_HOST/],
  // As errors that pass, so that it is tried again.
  ['half a stream', bad.dropped, 'network', /LAL_HOST/],
  ['a stream without its end', bad.noEnd, 'network', /LAL_HOST/],
];

/** What a model makes of a server that fails. */
export const itFails = (wire: ContractWire): void => {
  itReportsFailures(wire, failuresOf(wire));

  it('tells what status it gave and what it said, in short', async () => {
    const { model } = await serveOn(wire, [
      { status: 500, error: `boom\n${'x'.repeat(5000)}` },
    ]);
    const error = await rejection(model.chat(ask()));
    expect(error.status).toBe(500);
    expect(error.message).toContain(
      `answered 500 when asked for ${wire.model}`,
    );
    expect(error.message).toContain('boom');
    expect(error.message.length).toBeLessThan(500);
  });

  it.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    [
      'a date',
      {
        'retry-after': 'Wed, 01 Jan 2025 00:00:09 GMT',
        date: 'Wed, 01 Jan 2025 00:00:00 GMT',
      },
      9000,
    ],
    ['milliseconds', { 'retry-after-ms': '250' }, 250],
    ['nonsense', { 'retry-after': 'soon' }, undefined],
  ])('says when to come back, in %s', async (_what, headers, retryAfterMs) => {
    const { model } = await serveOn(wire, [{ status: 429, headers }]);
    expect(await rejection(model.chat(ask()))).toMatchObject({
      kind: 'rate-limit',
      status: 429,
      retryAfterMs,
    });
  });

  it('is asked again after its time when it asks for that, through withRetry', async () => {
    const { server, model } = await serveOn(wire, [
      wire.bad.tooMany,
      { text: 'now' },
    ]);
    const waits: number[] = [];
    const wait = (ms: number) => {
      waits.push(ms);
      return Promise.resolve();
    };
    const patient = withRetry(model, { wait, random: () => 0, maxAttempts: 3 });
    expect((await patient.chat(ask())).message.content).toBe('now');
    expect(waits).toEqual([2000]);
    expect(server.requests).toHaveLength(2);
  });

  it('by refusing the connection is reported with LAL_HOST', async () => {
    const { server, model } = await serveOn(wire, []);
    await server.close();
    const error = await rejection(model.chat(ask()));
    expect(error).toMatchObject({ kind: 'network', transient: true });
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.remedy).toContain('LAL_HOST');
  });
};

/** Where a provider's SDK limits the wait for the first byte. */
export const itTimesOut = (wire: ContractWire): void => {
  it('by not answering in time is reported with LAL_MODEL_TIMEOUT_MS', async () => {
    const { server } = await serveOn(wire, [{ hang: true }]);
    const model = wire.modelAt(server.url, { timeoutMs: 50 });
    const error = await rejection(model.chat(ask()));
    expect(error.kind).toBe('timeout');
    expect(error.remedy).toContain('LAL_MODEL_TIMEOUT_MS');
  });
};

/** Nothing that is shown of a failure holds the token. */
export const itKeepsTheToken = (wire: ContractWire): void => {
  it.each<[where: string, reply: ModelReply]>([
    ['its refusal', { status: 401, error: `bad key ${TOKEN}` }],
    ['a text that is no error of its wire', { status: 500, raw: `${TOKEN}!` }],
    ['what is not JSON', { raw: `oops ${TOKEN}` }],
    ['an error with status 200', wire.toErrorInAnswer(TOKEN)],
    ['an error in its stream', wire.toErrorInStream(TOKEN)],
  ])(
    'is in no error when the server repeats it in %s',
    async (_where, reply) => {
      const { model } = await serveOn(wire, [reply]);
      const shown = everythingOf(await rejection(model.chat(ask())));
      expect(shown).not.toContain(TOKEN);
      expect(shown).toContain('[secret]');
    },
  );

  it('is in no error when it cannot be sent at all', async () => {
    const { server } = await serveOn(wire, [{ text: 'x' }]);
    const model = wire.modelAt(server.url, { token: `${TOKEN}\u2028é` });
    const error = await rejection(model.chat(ask()));
    expect(everythingOf(error)).not.toContain(TOKEN);
  });

  it('is in no error when it was set with white space around it', async () => {
    const { server } = await serveOn(wire, [
      { status: 401, error: `bad key ${TOKEN} given` },
    ]);
    const config = parseConfig({
      LAL_PROVIDER: wire.provider,
      LAL_HOST: server.url,
      LAL_AUTH_TOKEN: ` ${TOKEN}\r\n`,
    });
    const { fetch } = globalThis;
    const model = await createModel(config.model, { fetch });
    const failure = await rejection(model.chat(ask()));
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
    });
    expect(failure.message).toContain('bad key');
    expect(everythingOf(failure)).not.toContain(TOKEN);
  });

  it('is not in what is shown of a host', async () => {
    const { server } = await serveOn(wire, [wire.bad.serverError]);
    const host = server.url.replace('//', `//user:${TOKEN}@`);
    const error = await rejection(wire.modelAt(host).chat(ask()));
    expect(everythingOf(error)).not.toContain(TOKEN);
  });
};
