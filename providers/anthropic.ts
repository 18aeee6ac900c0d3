/** Claude, at Anthropic or behind a server that speaks Anthropic's wire. */
import { Anthropic } from '@anthropic-ai/sdk';
import { Stream } from '@anthropic-ai/sdk/streaming';

import type { ChatAnswer, ChatModel, ChatRequest } from '../src/model/chat.ts';
import type { Secret } from '../src/model/secret.ts';
import { makeAnthropicAnswerBuilder } from './anthropic-answer.ts';
import type { AnthropicAnswerBuilder } from './anthropic-answer.ts';
import {
  makeErrorInMessage,
  makeNoTokenError,
  toAnthropicModelError,
} from './anthropic-errors.ts';
import {
  toAnthropicMessages,
  toAnthropicSystem,
  toAnthropicTools,
} from './anthropic-wire.ts';
import { makeAskOnceModel } from './ask-once.ts';
import {
  makeNetworkError,
  makeNotJsonError,
  withoutUserInfo,
} from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { openAnswer } from './open-answer.ts';
import { idsIn } from './wire-calls.ts';
import { fieldsOf, parseJson } from './wire-values.ts';

type Fetch = typeof globalThis.fetch;
type Params = Anthropic.MessageCreateParamsStreaming;

export type AnthropicPowers = {
  /** With or without `/v1` at its end. */
  readonly baseURL: string;
  readonly model: string;
  readonly authToken?: Secret;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** The longest wait for the first byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly fetch: Fetch;
};

/** The version of the API that the types of the SDK describe. */
const API_VERSION = '2026-10-21';

/** The SDK's paths begin with `/v1`. */
const rootOf = (baseURL: string): string =>
  baseURL.replace(/\/+$/, '').replace(/\/v1(\/messages)?$/, '');

const isAnthropicItself = (baseURL: string): boolean =>
  /(^|\.)anthropic\.com\.?$/.test(new URL(baseURL).hostname);

/** `x-api-key` is what servers that are not Anthropic's were told of first. */
const authHeaders = ({ baseURL, authToken }: AnthropicPowers) => {
  const token = authToken?.reveal().trim() ?? '';
  if (token === '') return {};
  const authorization = `Bearer ${token}`;
  return isAnthropicItself(baseURL)
    ? { authorization }
    : { authorization, 'x-api-key': token };
};

/**
 * The headers are ours alone. The SDK would add what the environment holds in
 * ANTHROPIC_CUSTOM_HEADERS, and a description of the machine; and it need not
 * know the token.
 */
const withOurHeaders =
  (powers: AnthropicPowers): Fetch =>
  (url, init) =>
    powers.fetch(url, {
      ...init,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        'anthropic-version': API_VERSION,
        ...authHeaders(powers),
      },
    });

const makeClient = (powers: AnthropicPowers): Anthropic =>
  new Anthropic({
    baseURL: rootOf(powers.baseURL),
    // Without one the SDK would look for keys in the environment and in files.
    apiKey: 'not the key',
    webhookKey: null,
    openTelemetry: false,
    logLevel: 'off',
    maxRetries: 0,
    timeout: powers.timeoutMs,
    fetch: withOurHeaders(powers),
  });

const makeParams = (
  { model, maxTokens }: AnthropicPowers,
  { messages, tools }: ChatRequest,
): Params => {
  const system = toAnthropicSystem(messages);
  return {
    model,
    max_tokens: maxTokens,
    ...(system ? { system } : {}),
    messages: toAnthropicMessages(messages),
    ...(tools.length > 0 ? { tools: toAnthropicTools(tools) } : {}),
    stream: true,
  };
};

/** Reads the events of a stream; a stream must say why it stopped. */
const readStream = async (
  response: Response,
  client: Anthropic,
  abort: AbortController,
  builder: AnthropicAnswerBuilder,
  asked: Asked,
): Promise<void> => {
  // Without its client the SDK would log to the console.
  for await (const event of Stream.fromSSEResponse<unknown>(
    response,
    abort,
    client,
  )) {
    builder.add(event);
  }
  if (builder.isFinished()) return;
  builder.build();
  throw makeNetworkError(undefined, asked);
};

const readWhole = (
  text: string,
  builder: AnthropicAnswerBuilder,
  asked: Asked,
  authToken: Secret | undefined,
): void => {
  const body = parseJson(text);
  if (body === undefined) throw makeNotJsonError(text, asked, authToken);
  // Some servers report an error with status 200.
  const { type, error } = fieldsOf(body);
  if (type === 'error' || (error !== undefined && error !== null))
    throw makeErrorInMessage(body, asked, authToken);
  builder.add(body);
};

/** `chat` asks once; retries are the business of `withRetry`. */
export const makeAnthropicModel = (powers: AnthropicPowers): ChatModel => {
  const { baseURL, model, authToken, timeoutMs } = powers;
  const client = makeClient(powers);
  const asked: Asked = { host: withoutUserInfo(baseURL), model };

  const ask = async (
    request: ChatRequest,
    abort: AbortController,
  ): Promise<ChatAnswer> => {
    if (!authToken && isAnthropicItself(baseURL)) throw makeNoTokenError(asked);
    // Not `messages.create`, which writes to the console about some models.
    const response = await client
      .post('/v1/messages', {
        body: makeParams(powers, request),
        signal: abort.signal,
      })
      .asResponse();
    const builder = makeAnthropicAnswerBuilder(idsIn(request.messages), asked);
    const { stream, text } = await openAnswer(response, 'event:');
    if (stream) await readStream(stream, client, abort, builder, asked);
    else readWhole(text, builder, asked, authToken);
    return builder.build();
  };

  return makeAskOnceModel({
    provider: 'anthropic',
    model,
    ask,
    toModelError: (error) =>
      toAnthropicModelError(error, { asked, authToken, timeoutMs }),
  });
};
harden(makeAnthropicModel);
