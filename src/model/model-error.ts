/** What went wrong with a model call, and what a person can do about it. */

export type ModelErrorKind =
  | 'auth' // 401, 403
  | 'missing-model' // the provider has no such model
  | 'rate-limit' // 429
  | 'overflow' // the conversation is larger than the model's context
  | 'bad-request' // another 4xx
  | 'server' // 5xx
  | 'network' // refused, reset, no such host
  | 'timeout' // no answer within LAL_MODEL_TIMEOUT_MS
  | 'bad-response' // not JSON, no choices, no message
  | 'cancelled'; // our own abort

export type ModelErrorDetails = {
  readonly kind: ModelErrorKind;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** From Retry-After, in milliseconds. */
  readonly retryAfterMs?: number;
  /** A sentence that says what to do, naming the variable to set. */
  readonly remedy: string;
  readonly cause?: unknown;
};

const TRANSIENT: ReadonlySet<ModelErrorKind> = new Set([
  'rate-limit',
  'server',
  'network',
  'timeout',
]);

/** The only thing that `ChatModel.chat` rejects with. */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;
  readonly remedy: string;

  constructor(message: string, details: ModelErrorDetails) {
    super(message, { cause: details.cause });
    this.name = 'ModelError';
    this.kind = details.kind;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.remedy = details.remedy;
    harden(this);
  }

  /** Whether the same request may well succeed a little later. */
  get transient(): boolean {
    return TRANSIENT.has(this.kind);
  }
}
harden(ModelError);
