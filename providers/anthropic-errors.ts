/** What the Anthropic SDK throws, as a `ModelError` that holds nothing of the SDK's. */
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';

import { ModelError } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import {
  makeBadResponseError,
  makeHttpError,
  makeNetworkError,
} from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { fieldsOf } from './wire-values.ts';

const noHeader = () => null;

/** The status that an error stands for when it comes inside of an answer. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** `{ type: 'error', error: { type, message } }`; gateways leave the shell off. */
const innerOf = (body: unknown) => {
  const fields = fieldsOf(body);
  return fieldsOf(fields['error'] ?? fields);
};

/** A server's error, in its own words: its message and its type. */
const wordsOf = (body: unknown): string => {
  if (typeof body === 'string') return body;
  if (typeof body !== 'object' || body === null) return '';
  const { message, type } = innerOf(body);
  if (typeof message !== 'string') return JSON.stringify(body);
  return typeof type === 'string' ? `${message} (${type})` : message;
};

/** An error that a server reports with status 200, in place of an answer. */
export const makeErrorInMessage = (
  body: unknown,
  asked: Asked,
  authToken: Secret | undefined,
): ModelError => {
  const { type } = innerOf(body);
  return makeHttpError(
    {
      status: STATUS_OF_TYPE[typeof type === 'string' ? type : ''] ?? 500,
      text: withoutSecret(wordsOf(body), authToken),
      header: noHeader,
    },
    asked,
  );
};
harden(makeErrorInMessage);

const fromApiError = (
  error: APIError,
  asked: Asked,
  authToken: Secret | undefined,
): ModelError | undefined => {
  // An error inside of a stream has no status.
  const { status, headers } = error;
  if (status === undefined) {
    return error.error === undefined
      ? undefined
      : makeErrorInMessage(error.error, asked, authToken);
  }
  const words = wordsOf(error.error) || error.message.replace(/^\d{3} /, '');
  const header = (name: string) => headers?.get(name) ?? null;
  return makeHttpError(
    { status, text: withoutSecret(words, authToken), header },
    asked,
  );
};

export type AnthropicErrorContext = {
  readonly asked: Asked;
  readonly authToken: Secret | undefined;
  readonly timeoutMs: number;
};

/** Contract: never throws; the token is not in the result. */
export const toAnthropicModelError = (
  error: unknown,
  { asked, authToken, timeoutMs }: AnthropicErrorContext,
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
harden(toAnthropicModelError);

/** What is said before anything is sent, where a token is always needed. */
export const makeNoTokenError = ({ host, model }: Asked): ModelError =>
  new ModelError(`There is no token for ${host}, so ${model} was not asked`, {
    kind: 'auth',
    remedy: `Set LAL_AUTH_TOKEN to an API key of ${host}.`,
  });
harden(makeNoTokenError);
