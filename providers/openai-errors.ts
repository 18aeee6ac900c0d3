/** What the OpenAI SDK throws, as a `ModelError` that holds nothing of the SDK's. */
import { APIConnectionTimeoutError, APIError } from 'openai';

import type { ModelError } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import { makeHttpError, noHeader } from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { makeErrorReader } from './sdk-errors.ts';

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

/** Contract: never throws; the token is not in the result. */
export const toModelError = makeErrorReader({
  isTimeout: (error) => error instanceof APIConnectionTimeoutError,
  // `instanceof` gives the class with `any` for its parameters.
  toApiFailure: (error) =>
    error instanceof APIError ? (error as APIError) : undefined,
  wordsOf,
  makeErrorInAnswer,
});
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
