/** What an Ollama answered instead of an answer, with remedies for Ollama. */
import { ModelError } from '../src/model/model-error.ts';
import type { ModelErrorKind } from '../src/model/model-error.ts';
import { makeHttpError, makeNetworkError } from './http-errors.ts';
import type { Asked, HttpFailure } from './http-errors.ts';

export type OllamaAsked = Asked & {
  /** Tokens of the context that was asked for. */
  readonly contextTokens: number;
};

const NO_TOOLS = /does not support tools/i;
const NO_MEMORY =
  /requires more (system |gpu )?memory|out of memory|unable to allocate/i;

type Words = { readonly kind: ModelErrorKind; readonly remedy: string };

const moreContext = (contextTokens: number): string =>
  `Begin a new conversation, or give the model more than ${contextTokens} tokens of context with LAL_CONTEXT_TOKENS, as far as it and the machine's memory go.`;

/** What is known of Ollama's own words; `undefined` leaves it to HTTP. */
const wordsFor = (
  { kind }: ModelError,
  { status, text }: HttpFailure,
  { host, model, contextTokens }: OllamaAsked,
): Words | undefined => {
  if (NO_TOOLS.test(text)) {
    return {
      kind: 'bad-request',
      remedy: `Set LAL_MODEL to a model that can use tools, such as qwen3.`,
    };
  }
  if (NO_MEMORY.test(text)) {
    return {
      // It would fail again: not a server's error that passes.
      kind: 'bad-request',
      remedy: `Set LAL_MODEL to a smaller model, or LAL_CONTEXT_TOKENS (${contextTokens}) to fewer tokens.`,
    };
  }
  if (kind === 'missing-model') {
    return {
      kind,
      remedy: `Run: ollama pull ${model} — or set LAL_MODEL to a model that ${host} has.`,
    };
  }
  if (kind === 'overflow') return { kind, remedy: moreContext(contextTokens) };
  if (kind === 'bad-request' && status === 404) {
    return {
      kind,
      remedy: `Check LAL_HOST: no Ollama answers at ${host} (it is the server's address without a path, as http://localhost:11434; with /v1 the OpenAI wire is spoken).`,
    };
  }
  return undefined;
};

/** Contract: never throws. `failure` holds no secrets. */
export const makeOllamaHttpError = (
  failure: HttpFailure,
  asked: OllamaAsked,
): ModelError => {
  const error = makeHttpError(failure, asked);
  const words = wordsFor(error, failure, asked);
  if (words === undefined) return error;
  const { status, retryAfterMs } = error;
  return new ModelError(error.message, {
    ...words,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};
harden(makeOllamaHttpError);

/** For a server that cut the conversation and did not say so. */
export const makeCutError = ({
  host,
  model,
  contextTokens,
}: OllamaAsked): ModelError =>
  new ModelError(
    `${host} cut the conversation to the ${contextTokens} tokens of context that ${model} was given`,
    { kind: 'overflow', remedy: moreContext(contextTokens) },
  );
harden(makeCutError);

/** A connection that was refused, reset, cut or never made. */
export const makeOllamaNetworkError = (
  error: unknown,
  asked: OllamaAsked,
): ModelError => {
  const { message } = makeNetworkError(error, asked);
  return new ModelError(message, {
    kind: 'network',
    remedy: `Start Ollama there ("ollama serve", or its app), or set LAL_HOST (${asked.host}) to where one runs.`,
  });
};
harden(makeOllamaNetworkError);
