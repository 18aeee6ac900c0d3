/** What a server of models answered instead of an answer, as a `ModelError`. */
import { ModelError } from '../src/model/model-error.ts';
import type { ModelErrorKind } from '../src/model/model-error.ts';
import { withoutSecret } from '../src/model/secret.ts';
import type { Secret } from '../src/model/secret.ts';

export type HttpFailure = {
  readonly status: number;
  /** The server's own words, already without secrets. */
  readonly text: string;
  /** A header's value, or null. */
  readonly header: (name: string) => string | null;
};

/** Of an error that came inside of an answer. */
export const noHeader = (): null => null;
harden(noHeader);

/** Whom we asked, for the texts of errors. */
export type Asked = { readonly host: string; readonly model: string };

/** A URL may hold a password or a key; what is shown does not. */
export const withoutUserInfo = (host: string): string => {
  const url = new URL(host);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
};
harden(withoutUserInfo);

const OVERFLOW =
  /context[ _-]?(length|window|size|limit)|maximum context|exceed_context|too many (input )?tokens|prompt is too long|n_ctx/i;
const NO_MODEL =
  /model_not_found|model\b.{0,200}\b(not found|does not exist|not exist|unknown|is not available)|(unknown|no such|invalid) model/i;
const NO_CREDIT =
  /insufficient_quota|exceeded your current quota|insufficient (credit|balance)|credit balance is too low/i;
const BAD_KEY = /invalid (x-)?api[ -]?key/i;
const TOO_MANY_ASKED = /max_tokens.{0,40}(>|maximum|less than|too large)/i;
const OLLAMA = /:11434\b|ollama/i;

const shorten = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
};

const kindOf = ({ status, text }: HttpFailure): ModelErrorKind => {
  if (status === 401 || status === 403 || status === 402) return 'auth';
  if (status < 500 && (NO_CREDIT.test(text) || BAD_KEY.test(text)))
    return 'auth';
  if (status === 429) return 'rate-limit';
  if (status === 413 || OVERFLOW.test(text)) return 'overflow';
  if (status >= 500 || status === 408) return 'server';
  if (NO_MODEL.test(text) || (status === 404 && /\bmodel\b/i.test(text)))
    return 'missing-model';
  return 'bad-request';
};

const remedyFor = (
  kind: ModelErrorKind,
  failure: HttpFailure,
  { host, model }: Asked,
): string => {
  switch (kind) {
    case 'auth':
      return failure.status === 402 || NO_CREDIT.test(failure.text)
        ? 'Check the credit of the account that LAL_AUTH_TOKEN belongs to.'
        : `Set LAL_AUTH_TOKEN to a token that ${host} accepts for ${model}.`;
    case 'missing-model':
      return OLLAMA.test(`${host} ${failure.text}`)
        ? `Run: ollama pull ${model} — or set LAL_MODEL to a model that ${host} has.`
        : `Set LAL_MODEL to a model that ${host} has.`;
    case 'rate-limit':
      return 'Wait a little and try again; LAL_MAX_CONCURRENT limits how many calls run at once.';
    case 'overflow':
      return 'Begin a new conversation, or use a model with a larger context (LAL_MODEL).';
    case 'server':
      return `Try again later; if it stays so, look at the log of ${host}.`;
    default:
      if (TOO_MANY_ASKED.test(failure.text))
        return `Set LAL_MAX_TOKENS to no more than ${model} can answer.`;
      return failure.status === 404
        ? `Check LAL_HOST: there is nothing at ${host} that answers for a model (most servers want /v1 at the end).`
        : `Check LAL_HOST and LAL_MODEL: ${host} did not accept the request.`;
  }
};

/** Milliseconds from Retry-After: seconds, or a date beside the server's own. */
const retryAfterOf = ({ header }: HttpFailure): number | undefined => {
  const exact = Number(header('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = header('retry-after')?.trim();
  if (value === undefined || value === '') return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  // The server's clock is compared with itself, so ours is not needed.
  const ms = Date.parse(value) - Date.parse(header('date') ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
};

/** Contract: never throws. */
export const makeHttpError = (
  failure: HttpFailure,
  asked: Asked,
): ModelError => {
  const kind = kindOf(failure);
  const retryAfterMs = retryAfterOf(failure);
  const words = shorten(failure.text);
  return new ModelError(
    `${asked.host} answered ${failure.status} when asked for ${asked.model}` +
      (words === '' ? '' : `: ${words}`),
    {
      kind,
      status: failure.status,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      remedy: remedyFor(kind, failure, asked),
    },
  );
};
harden(makeHttpError);

const CODE_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refused the connection',
  ECONNRESET: 'closed the connection',
  UND_ERR_SOCKET: 'closed the connection',
  ENOTFOUND: 'is a host name that nobody knows',
  EAI_AGAIN: 'is a host name that could not be looked up',
  ETIMEDOUT: 'did not answer the connection',
};

/** The first system code in a chain of causes: `ECONNREFUSED`. */
const codeOf = (error: unknown, depth = 0): string => {
  if (typeof error !== 'object' || error === null || depth > 5) return '';
  const { code, cause, errors } = error as {
    code?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  if (typeof code === 'string' && code !== '') return code;
  return (
    codeOf(cause, depth + 1) ||
    codeOf(Array.isArray(errors) ? errors[0] : undefined, depth + 1)
  );
};

/** A connection that was refused, reset, cut or never made. */
export const makeNetworkError = (
  error: unknown,
  { host, model }: Asked,
): ModelError => {
  const code = codeOf(error);
  const words =
    CODE_WORDS[code] ?? 'could not be reached, or broke off its answer';
  return new ModelError(
    `${host} ${words} when asked for ${model}${code === '' ? '' : ` (${code})`}`,
    {
      kind: 'network',
      remedy: `Check that the server of LAL_HOST (${host}) is running and can be reached from here.`,
    },
  );
};
harden(makeNetworkError);

export const makeBadResponseError = (
  what: string,
  { host, model }: Asked,
): ModelError =>
  new ModelError(`${host} answered with ${what} when asked for ${model}`, {
    kind: 'bad-response',
    remedy: `Check that LAL_HOST (${host}) is the base URL of a server of models, such as http://localhost:8080/v1.`,
  });
harden(makeBadResponseError);

export const makeNotJsonError = (
  text: string,
  asked: Asked,
  authToken: Secret | undefined,
): ModelError => {
  const start = withoutSecret(text, authToken).slice(0, 60);
  return makeBadResponseError(`no JSON (${JSON.stringify(start)})`, asked);
};
harden(makeNotJsonError);
