/** Any server of the OpenAI wire: llama.cpp, vLLM, LM Studio, OpenAI … */
import { APIConnectionTimeoutError, APIError, OpenAI } from 'openai';
import { Stream } from 'openai/streaming';

import { cancelledError } from '../src/model/cancelled.ts';
import type { ChatAnswer, ChatModel, ChatRequest } from '../src/model/chat.ts';
import { ModelError } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import {
  makeBadResponseError,
  makeHttpError,
  makeNetworkError,
} from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { makeAnswerBuilder } from './openai-answer.ts';
import type { AnswerBuilder } from './openai-answer.ts';
import { idsIn, toWireMessages, toWireTools } from './openai-wire.ts';

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

/** What a server turned out not to understand; remembered for later calls. */
type Habits = { maxCompletionTokens: boolean; noStreamOptions: boolean };

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

/** A URL may hold a password or a key; what is shown does not. */
const withoutUserInfo = (host: string): string => {
  const url = new URL(host);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
};

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

type Opened =
  | { readonly stream: Response; readonly text?: never }
  | { readonly stream?: never; readonly text: string };

/** Servers that do not stream answer with one document, and some mislabel. */
const openAnswer = async (response: Response): Promise<Opened> => {
  const type = response.headers.get('content-type') ?? '';
  if (type.includes('text/event-stream')) return { stream: response };
  const text = await response.text();
  return text.startsWith('data:') ? { stream: new Response(text) } : { text };
};

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

/** The status that an error inside of an answer stands for. */
const statusOf = (error: unknown, otherwise: number): number => {
  const { code } = (typeof error === 'object' ? error : {}) as {
    code?: unknown;
  };
  return typeof code === 'number' && code >= 400 && code < 600
    ? code
    : otherwise;
};

const readWhole = (
  text: string,
  builder: AnswerBuilder,
  asked: Asked,
  authToken: Secret | undefined,
): void => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    const start = JSON.stringify(withoutSecret(text, authToken).slice(0, 60));
    if (error instanceof SyntaxError)
      throw makeBadResponseError(`no JSON (${start})`, asked);
    throw error;
  }
  // Some servers report an error with status 200.
  const { error } = (body ?? {}) as { error?: unknown };
  if (error !== undefined && error !== null) {
    const words = withoutSecret(JSON.stringify(error), authToken);
    throw makeHttpError(
      { status: statusOf(error, 200), text: words, header: () => null },
      asked,
    );
  }
  builder.add(body);
};

/** Contract: the result holds nothing of the SDK's and not the token. */
const toModelError = (
  error: unknown,
  asked: Asked,
  { authToken, timeoutMs }: OpenAiCompatiblePowers,
): ModelError => {
  if (error instanceof ModelError) return error;
  if (error instanceof APIConnectionTimeoutError) {
    return new ModelError(
      `${asked.host} gave no answer within ${timeoutMs} ms`,
      {
        kind: 'timeout',
        remedy:
          'Try again, or allow more time with LAL_MODEL_TIMEOUT_MS (milliseconds).',
      },
    );
  }
  if (error instanceof APIError) {
    // Types say otherwise, but an error inside a stream has no status.
    const status = error.status as number | undefined;
    const body = error.error === undefined ? '' : JSON.stringify(error.error);
    const text = withoutSecret(`${error.message} ${body}`, authToken);
    const headers = error.headers as Headers | undefined;
    if (status !== undefined || body !== '') {
      const header = (name: string) => headers?.get(name) ?? null;
      return makeHttpError(
        { status: status ?? statusOf(error.error, 500), text, header },
        asked,
      );
    }
  }
  if (error instanceof SyntaxError)
    return makeBadResponseError('a stream that is not JSON', asked);
  return makeNetworkError(error, asked);
};

/** Whether a refusal names a parameter that can be written another way. */
const learnFrom = (error: unknown, habits: Habits): boolean => {
  if (
    !(error instanceof APIError) ||
    (error.status as number | undefined) !== 400
  )
    return false;
  if (
    !habits.maxCompletionTokens &&
    error.message.includes('max_completion_tokens')
  ) {
    habits.maxCompletionTokens = true;
    return true;
  }
  if (!habits.noStreamOptions && error.message.includes('stream_options')) {
    habits.noStreamOptions = true;
    return true;
  }
  return false;
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
      try {
        return await send();
      } catch (error) {
        if (!learnFrom(error, habits)) throw error;
      }
    }
  };

  const ask = async (
    request: ChatRequest,
    abort: AbortController,
  ): Promise<ChatAnswer> => {
    const response = await post(request, abort.signal);
    const builder = makeAnswerBuilder(idsIn(request.messages), asked);
    const { stream, text } = await openAnswer(response);
    if (stream) {
      const finished = await readStream(stream, client, abort, builder);
      // A stream that does not say why it stopped was cut.
      if (!finished && builder.build())
        throw makeNetworkError(undefined, asked);
    } else {
      readWhole(text, builder, asked, powers.authToken);
    }
    return builder.build();
  };

  const chat = async (request: ChatRequest): Promise<ChatAnswer> => {
    const { signal } = request;
    const isCancelled = () => signal.aborted;
    if (isCancelled()) throw cancelledError();
    // The SDK leaves its listeners on the signal it is given: it gets its own.
    const abort = new AbortController();
    const stop = () => abort.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const answer = await ask(request, abort);
      if (isCancelled()) throw cancelledError();
      return answer;
    } catch (error) {
      if (isCancelled()) throw cancelledError();
      throw toModelError(error, asked, powers);
    } finally {
      signal.removeEventListener('abort', stop);
      abort.abort();
    }
  };
  return harden({ provider: 'openai', model: powers.model, chat });
};
harden(makeOpenAiCompatibleModel);
