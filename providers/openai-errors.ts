/** What the OpenAI SDK throws, as a `ModelError` that holds nothing of the SDK's. */
import { APIConnectionTimeoutError, APIError } from 'openai';

import { ModelError } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import {
  makeBadResponseError,
  makeHttpError,
  makeNetworkError,
} from './http-errors.ts';
import type { Asked } from './http-errors.ts';

const noHeader = () => null;

/** A server's error, in its own words: its message and its code. */
const wordsOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  const { message, code } = body as { message?: unknown; code?: unknown };
  if (typeof message !== 'string') return JSON.stringify(body);
  return typeof code === 'string' ? `${message} (${code})` : message;
};

/** The status that an error inside of an answer stands for. */
const statusOf = (body: unknown, otherwise: number): number => {
  const { code } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: unknown;
  };
  return typeof code === 'number' && code >= 400 && code < 600
    ? code
    : otherwise;
};

/** An error that a server reports with status 200, in place of an answer. */
export const makeErrorInAnswer = (
  body: unknown,
  asked: Asked,
  authToken: Secret | undefined,
): ModelError =>
  makeHttpError(
    {
      status: statusOf(body, 500),
      text: withoutSecret(wordsOf(body), authToken),
      header: noHeader,
    },
    asked,
  );
harden(makeErrorInAnswer);

const fromApiError = (
  error: APIError,
  asked: Asked,
  authToken: Secret | undefined,
): ModelError | undefined => {
  // An error inside of a stream has no status.
  const { status } = error;
  if (status === undefined) {
    return error.error === undefined
      ? undefined
      : makeErrorInAnswer(error.error, asked, authToken);
  }
  const words = wordsOf(error.error) || error.message.replace(/^\d{3} /, '');
  const headers = error.headers;
  const header = (name: string) => headers?.get(name) ?? null;
  return makeHttpError(
    { status, text: withoutSecret(words, authToken), header },
    asked,
  );
};

export type ErrorContext = {
  readonly asked: Asked;
  readonly authToken: Secret | undefined;
  readonly timeoutMs: number;
};

/** Contract: never throws; the token is not in the result. */
export const toModelError = (
  error: unknown,
  { asked, authToken, timeoutMs }: ErrorContext,
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
  if (error instanceof SyntaxError) {
    return makeBadResponseError('a stream that is not JSON', asked);
  }
  // `instanceof` gives the class with `any` for its parameters.
  const apiError: APIError | undefined =
    error instanceof APIError ? (error as APIError) : undefined;
  const known = apiError && fromApiError(apiError, asked, authToken);
  return known ?? makeNetworkError(error, asked);
};
harden(toModelError);

/** What a server turned out not to understand; remembered for later calls. */
export type Habits = { maxCompletionTokens: boolean; noStreamOptions: boolean };

/** Whether a refusal names a parameter that can be written another way. */
export const learnFrom = (
  error: unknown,
  habits: Habits,
  /** As they were when the refused request was made. */
  used: Habits = { ...habits },
): boolean => {
  if (!(error instanceof APIError)) return false;
  if ((error.status as number | undefined) !== 400) return false;
  if (
    !used.maxCompletionTokens &&
    error.message.includes('max_completion_tokens')
  ) {
    habits.maxCompletionTokens = true;
    return true;
  }
  if (!used.noStreamOptions && error.message.includes('stream_options')) {
    habits.noStreamOptions = true;
    return true;
  }
  return false;
};
harden(learnFrom);
