/**
 * The `fetch` that the Ollama SDK is given: what a server answers badly ends
 * here as a `ModelError`. The SDK would write it to the console, pass it over
 * or throw it without its status.
 */
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';
import {
  makeBadResponseError,
  makeNotJsonError,
  noHeader,
} from './http-errors.ts';
import { makeOllamaHttpError } from './ollama-errors.ts';
import type { OllamaAsked } from './ollama-errors.ts';
import { fieldsOf, jsonObjectIn } from './wire-values.ts';

type Fetch = typeof globalThis.fetch;

export type OllamaFetchPowers = {
  readonly fetch: Fetch;
  readonly asked: OllamaAsked;
  readonly authToken: Secret | undefined;
  /** Ends the request and its stream. */
  readonly signal: AbortSignal;
};

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const errorIn = (text: string): string => {
  const { error } = fieldsOf(jsonObjectIn(text));
  return error === undefined ? text : wordsOf(error);
};

/** Throws what a line is that is no part of an answer. */
const assertLine = (
  line: string,
  { asked, authToken }: OllamaFetchPowers,
): void => {
  const fields = jsonObjectIn(line);
  if (fields === undefined) throw makeNotJsonError(line, asked, authToken);
  const { error } = fields;
  if (error !== undefined && error !== null) {
    const text = withoutSecret(wordsOf(error), authToken);
    throw makeOllamaHttpError({ status: 500, text, header: noHeader }, asked);
  }
};

/** Passes on whole lines that are part of an answer, and fails at any other. */
const makeLineGuard = (
  powers: OllamaFetchPowers,
): TransformStream<string, string> => {
  let rest = '';
  const takeLine = (line: string): string => {
    if (line.trim() === '') return '';
    assertLine(line, powers);
    return `${line}\n`;
  };
  return new TransformStream({
    transform: (piece, controller) => {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) controller.enqueue(takeLine(line));
    },
    flush: (controller) => controller.enqueue(takeLine(rest)),
  });
};

const makeHeaders = (
  given: RequestInit['headers'],
  authToken: Secret | undefined,
): Headers => {
  const headers = new Headers(given);
  // The SDK would take a key from the environment for some hosts.
  headers.delete('authorization');
  const token = authToken?.reveal().trim() ?? '';
  if (token !== '') headers.set('authorization', `Bearer ${token}`);
  return headers;
};

export const makeOllamaFetch = (powers: OllamaFetchPowers): Fetch => {
  const { asked, authToken, signal } = powers;
  return async (url, init) => {
    const headers = makeHeaders(init?.headers, authToken);
    const response = await powers.fetch(url, { ...init, headers, signal });
    if (!response.ok) {
      const text = withoutSecret(errorIn(await response.text()), authToken);
      const header = (name: string) => response.headers.get(name);
      throw makeOllamaHttpError(
        { status: response.status, text, header },
        asked,
      );
    }
    if (response.body === null)
      throw makeBadResponseError('an empty answer', asked);
    return new Response(
      response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(makeLineGuard(powers))
        .pipeThrough(new TextEncoderStream()),
    );
  };
};
harden(makeOllamaFetch);
