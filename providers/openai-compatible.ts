/** Any server of the OpenAI wire: llama.cpp, vLLM, LM Studio, OpenAI … */
import { OpenAI } from 'openai';
import { Stream } from 'openai/streaming';

import type { ChatAnswer, ChatModel, ChatRequest } from '../src/model/chat.ts';
import type { Secret } from '../src/model/secret.ts';
import { makeAskOnceModel } from './ask-once.ts';
import {
  makeNetworkError,
  makeNotJsonError,
  withoutUserInfo,
} from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { makeAnswerBuilder } from './openai-answer.ts';
import type { AnswerBuilder } from './openai-answer.ts';
import { learnFrom, makeErrorInAnswer, toModelError } from './openai-errors.ts';
import type { Habits } from './openai-errors.ts';
import { openAnswer } from './open-answer.ts';
import { toWireMessages } from './openai-wire.ts';
import { idsIn, toWireTools } from './wire-calls.ts';
import { fieldsOf, parseJson } from './wire-values.ts';

export type OpenAiCompatiblePowers = {
  readonly baseURL: string;
  readonly model: string;
  readonly authToken?: Secret;
  /** The longest answer, in tokens. */
  readonly maxTokens: number;
  /** The longest wait for the first byte, in milliseconds. */
  readonly timeoutMs: number;
  readonly fetch: typeof globalThis.fetch;
};

type Params = OpenAI.ChatCompletionCreateParamsStreaming;

const makeClient = (powers: OpenAiCompatiblePowers): OpenAI =>
  new OpenAI({
    baseURL: powers.baseURL.replace(/\/+$/, ''),
    // The SDK wants a key; without a token no header is sent.
    apiKey: powers.authToken?.reveal().trim() ?? 'none',
    ...(powers.authToken ? {} : { defaultHeaders: { Authorization: null } }),
    // Nothing is taken from the environment, and nothing is logged.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    logLevel: 'off',
    maxRetries: 0,
    timeout: powers.timeoutMs,
    fetch: powers.fetch,
  });

const makeParams = (
  { model, maxTokens }: OpenAiCompatiblePowers,
  { messages, tools }: ChatRequest,
  habits: Habits,
): Params => ({
  model,
  messages: toWireMessages(messages),
  ...(tools.length > 0 ? { tools: toWireTools(tools) } : {}),
  ...(habits.maxCompletionTokens
    ? { max_completion_tokens: maxTokens }
    : // The name that every server knows, OpenAI's newest models excepted.
      // eslint-disable-next-line @typescript-eslint/no-deprecated
      { max_tokens: maxTokens }),
  stream: true,
  ...(habits.noStreamOptions
    ? {}
    : { stream_options: { include_usage: true } }),
});

/** Reads the chunks of a stream; a stream must say why it stopped. */
const readStream = async (
  response: Response,
  client: OpenAI,
  abort: AbortController,
  builder: AnswerBuilder,
): Promise<boolean> => {
  // Without its client the SDK would log to the console.
  for await (const chunk of Stream.fromSSEResponse<unknown>(
    response,
    abort,
    client,
  )) {
    builder.add(chunk);
  }
  return builder.isFinished();
};

const readWhole = (
  text: string,
  builder: AnswerBuilder,
  asked: Asked,
  authToken: Secret | undefined,
): void => {
  const body = parseJson(text);
  if (body === undefined) throw makeNotJsonError(text, asked, authToken);
  // Some servers report an error with status 200.
  const { error } = fieldsOf(body);
  if (error !== undefined && error !== null) {
    throw makeErrorInAnswer(error, asked, authToken);
  }
  builder.add(body);
};

/** `chat` asks once; retries are the business of `withRetry`. */
export const makeOpenAiCompatibleModel = (
  powers: OpenAiCompatiblePowers,
): ChatModel => {
  const client = makeClient(powers);
  const habits: Habits = { maxCompletionTokens: false, noStreamOptions: false };
  const asked: Asked = {
    host: withoutUserInfo(powers.baseURL),
    model: powers.model,
  };

  const post = async (
    request: ChatRequest,
    signal: AbortSignal,
  ): Promise<Response> => {
    const send = () =>
      client.chat.completions
        .create(makeParams(powers, request, habits), { signal })
        .asResponse();
    for (;;) {
      const used = { ...habits };
      try {
        return await send();
      } catch (error) {
        if (!learnFrom(error, habits, used)) throw error;
      }
    }
  };

  const ask = async (
    request: ChatRequest,
    abort: AbortController,
  ): Promise<ChatAnswer> => {
    const response = await post(request, abort.signal);
    const builder = makeAnswerBuilder(idsIn(request.messages), asked);
    const { stream, text } = await openAnswer(response, 'data:');
    if (stream) {
      const finished = await readStream(stream, client, abort, builder);
      // A stream that does not say why it stopped was cut.
      if (!finished) {
        builder.build();
        throw makeNetworkError(undefined, asked);
      }
    } else {
      readWhole(text, builder, asked, powers.authToken);
    }
    return builder.build();
  };

  return makeAskOnceModel({
    provider: 'openai',
    model: powers.model,
    ask,
    toModelError: (error) =>
      toModelError(error, {
        asked,
        authToken: powers.authToken,
        timeoutMs: powers.timeoutMs,
      }),
  });
};
harden(makeOpenAiCompatibleModel);
