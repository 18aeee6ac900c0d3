/** What the Anthropic SDK throws, as a `ModelError` that holds nothing of the SDK's. */
import { APIConnectionTimeoutError, APIError } from '@anthropic-ai/sdk';

import { ModelError } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import { makeHttpError, noHeader } from './http-errors.ts';
import type { Asked } from './http-errors.ts';
import { makeErrorReader } from './sdk-errors.ts';
import { fieldsOf } from './wire-values.ts';

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

/** Contract: never throws; the token is not in the result. */
export const toAnthropicModelError = makeErrorReader({
  isTimeout: (error) => error instanceof APIConnectionTimeoutError,
  // `instanceof` gives the class with `any` for its parameters.
  toApiFailure: (error) =>
    error instanceof APIError ? (error as APIError) : undefined,
  wordsOf,
  makeErrorInAnswer: makeErrorInMessage,
});
harden(toAnthropicModelError);

/** What is said before anything is sent, where a token is always needed. */
export const makeNoTokenError = ({ host, model }: Asked): ModelError =>
  new ModelError(`There is no token for ${host}, so ${model} was not asked`, {
    kind: 'auth',
    remedy: `Set LAL_AUTH_TOKEN to an API key of ${host}.`,
  });
harden(makeNoTokenError);
