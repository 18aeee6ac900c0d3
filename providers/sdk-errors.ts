/** What an SDK throws, as a `ModelError` that holds nothing of the SDK's. */
import { ModelError } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import {
  makeBadResponseError,
  makeHttpError,
  makeNetworkError,
} from './http-errors.ts';
import type { Asked } from './http-errors.ts';

/** What is read of an `APIError`. An error inside of a stream has no status. */
type ApiFailure = {
  readonly status: number | undefined;
  readonly headers: Pick<Headers, 'get'> | undefined;
  /** The body that the server sent. */
  readonly error: unknown;
  readonly message: string;
};

/** What one SDK and its wire know of their errors. */
export type SdkErrors = {
  readonly isTimeout: (error: unknown) => boolean;
  readonly toApiFailure: (error: unknown) => ApiFailure | undefined;
  /** The server's own words in a body; empty when there are none. */
  readonly wordsOf: (body: unknown) => string;
  /** An error that came inside of an answer. */
  readonly makeErrorInAnswer: (
    body: unknown,
    asked: Asked,
    authToken: Secret | undefined,
  ) => ModelError;
};

export type SdkErrorContext = {
  readonly asked: Asked;
  readonly authToken: Secret | undefined;
  readonly timeoutMs: number;
};

const fromApiFailure = (
  { wordsOf, makeErrorInAnswer }: SdkErrors,
  { status, headers, error, message }: ApiFailure,
  { asked, authToken }: SdkErrorContext,
): ModelError | undefined => {
  if (status === undefined) {
    return error === undefined
      ? undefined
      : makeErrorInAnswer(error, asked, authToken);
  }
  const words = wordsOf(error) || message.replace(/^\d{3} /, '');
  const header = (name: string) => headers?.get(name) ?? null;
  return makeHttpError(
    { status, text: withoutSecret(words, authToken), header },
    asked,
  );
};

/** Contract: what it makes never throws; the token is not in the result. */
export const makeErrorReader =
  (sdk: SdkErrors) =>
  (error: unknown, context: SdkErrorContext): ModelError => {
    const { asked, timeoutMs } = context;
    if (error instanceof ModelError) return error;
    if (sdk.isTimeout(error)) {
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
    const failure = sdk.toApiFailure(error);
    const known = failure && fromApiFailure(sdk, failure, context);
    return known ?? makeNetworkError(error, asked);
  };
harden(makeErrorReader);
