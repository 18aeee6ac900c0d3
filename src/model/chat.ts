/**
 * The neutral chat port: what every provider speaks inside Hob. The wire of a
 * provider is known at its edge only (`providers/`).
 */

export type ToolCall = {
  /** Unique within the turn. */
  readonly id: string;
  readonly name: string;
  /** The model's own text, not yet parsed: `{"petNamePath":["a"]}`. */
  readonly argumentsText: string;
};

export type SystemMessage = {
  readonly role: 'system';
  readonly content: string;
};
export type UserMessage = { readonly role: 'user'; readonly content: string };
export type AssistantMessage = {
  readonly role: 'assistant';
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
};
export type ToolResultMessage = {
  readonly role: 'tool';
  readonly callId: string;
  readonly content: string;
  readonly isError: boolean;
};

export type ChatMessage =
  SystemMessage | UserMessage | AssistantMessage | ToolResultMessage;

/** A JSON Schema, as plain data. */
export type JsonSchema = { readonly [key: string]: unknown };

/** The OpenAI form of a tool's description, which `FaeTool.schema()` returns. */
export type ToolSchema = {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
  };
};

/**
 * Why the model stopped: it had finished, it wants tools, its answer was cut
 * off at the token limit, or it (or its provider's filter) refused.
 */
export type StopReason = 'end' | 'tools' | 'length' | 'refusal';

/** Tokens of one call. `cached` is the part of `input` served from a cache. */
export type Usage = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
};

export type ChatAnswer = {
  readonly message: AssistantMessage;
  readonly stop: StopReason;
  readonly usage: Usage;
};

export type ChatRequest = {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolSchema[];
  /** Aborting rejects the call with a `ModelError` of kind `cancelled`. */
  readonly signal: AbortSignal;
};

export type ChatModel = {
  /** As shown to people: `openai`, `practice` … */
  readonly provider: string;
  /** As the provider names it: `qwen3`. */
  readonly model: string;
  /** One call. Rejects with a `ModelError` (`model-error.ts`) and nothing else. */
  readonly chat: (request: ChatRequest) => Promise<ChatAnswer>;
};
