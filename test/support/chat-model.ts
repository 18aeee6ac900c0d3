/** A model over a loopback server of its wire, and what tests ask it. */
import { onTestFinished, vi } from 'vitest';

import type {
  ChatMessage,
  ChatModel,
  ChatRequest,
  ToolSchema,
} from '../../src/model/chat.ts';
import { ModelError } from '../../src/model/model-error.ts';
import type { ModelReply, ReplyForm } from './model-replies.ts';
import type { ModelServer, Script } from './model-server.ts';

export type Fetch = typeof globalThis.fetch;

export type ModelPowers = {
  readonly token?: string;
  readonly fetch?: Fetch;
  readonly maxTokens?: number;
  /** The longest wait for the first byte, where the provider limits it. */
  readonly timeoutMs?: number;
};

/** A provider and a server that speaks its wire. */
export type ChatWire<Body = unknown, Reply extends ModelReply = ModelReply> = {
  /** As in `LAL_PROVIDER`. */
  readonly provider: string;
  /** The model that errors name. */
  readonly model: string;
  readonly modelAt: (host: string, powers?: ModelPowers) => ChatModel;
  readonly start: (script: Script<Body, Reply>) => Promise<ModelServer<Body>>;
  readonly form: Pick<ReplyForm<Reply>, 'contentType' | 'toStream'>;
};

export const TOKEN = 'sk-never-print-me';

export const tool: ToolSchema = harden({
  type: 'function',
  function: {
    name: 'list',
    description: 'Lists names.',
    parameters: {
      type: 'object',
      properties: { petNamePath: { type: 'array' } },
    },
  },
});

/** A request with these messages, or with a greeting. */
export const ask = (
  messages: readonly ChatMessage[] = [{ role: 'user', content: 'hello' }],
  signal = new AbortController().signal,
): ChatRequest => ({
  messages: harden([
    { role: 'system', content: 'You are Hob.' } as const,
    ...messages,
  ]),
  tools: harden([tool]),
  signal,
});

/** A server with this script, until the test ends, and a model that asks it. */
export const serveOn = async <Body, Reply extends ModelReply>(
  wire: ChatWire<Body, Reply>,
  script: Script<Body, Reply>,
): Promise<{ server: ModelServer<Body>; model: ChatModel }> => {
  const server = await wire.start(script);
  onTestFinished(server.close);
  return { server, model: wire.modelAt(server.url, { token: TOKEN }) };
};

export const rejection = async (
  call: Promise<unknown>,
): Promise<ModelError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ModelError))
    throw Error(`not a ModelError: ${String(error)}`);
  return error;
};

/** All that an error could show of itself. */
export const everythingOf = (error: ModelError): string =>
  [
    error.message,
    error.remedy,
    error.stack,
    JSON.stringify(error),
    String(error.cause),
  ].join('\n');

/** Everything that is written to the console until the test ends. */
export const watchConsole = (): readonly unknown[] => {
  const lines: unknown[] = [];
  for (const name of ['debug', 'info', 'log', 'warn', 'error'] as const) {
    const spy = vi.spyOn(console, name).mockImplementation((...words) => {
      lines.push(words);
    });
    onTestFinished(() => spy.mockRestore());
  }
  return lines;
};
