/** The neutral messages in the form of Ollama's own wire (`/api/chat`). Pure. */
import type { ChatRequest as WireRequest, Message } from 'ollama';

import type { ChatMessage, ChatRequest } from '../src/model/chat.ts';
import { resultText, safeToolName, toWireTools } from './wire-calls.ts';
import { jsonObjectIn } from './wire-values.ts';

type WireCall = {
  readonly id: string;
  readonly function: {
    readonly name: string;
    readonly arguments: Record<string, unknown>;
  };
};

/** Servers that know ids pair results by them; older ones pass them over. */
type WireMessage = Omit<Message, 'tool_calls'> & {
  tool_calls?: WireCall[];
  tool_call_id?: string;
};

/** How the model is run, for every call. */
export type OllamaHabits = {
  readonly model: string;
  /** Tokens of the whole context, prompt and answer. */
  readonly contextTokens: number;
  /** Tokens of one answer; left to the server when it is not set. */
  readonly maxTokens?: number;
};

const toWireMessage = (
  message: ChatMessage,
  nameOf: (callId: string) => string | undefined,
): WireMessage => {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool': {
      const { callId } = message;
      const name = nameOf(callId);
      return {
        role: 'tool',
        content: resultText(message),
        ...(name === undefined ? {} : { tool_name: safeToolName(name) }),
        tool_call_id: callId,
      };
    }
    case 'assistant': {
      const { content, toolCalls } = message;
      if (toolCalls.length === 0) return { role: 'assistant', content };
      return {
        role: 'assistant',
        content,
        tool_calls: toolCalls.map(({ id, name, argumentsText }) => ({
          id,
          // Only an object can be sent. When the model's text was none, the
          // tool's result tells it what was wrong.
          function: {
            name: safeToolName(name),
            arguments: { ...jsonObjectIn(argumentsText) },
          },
        })),
      };
    }
  }
};

const toWireMessages = (messages: readonly ChatMessage[]): WireMessage[] => {
  const names = new Map(
    messages.flatMap((message) =>
      message.role === 'assistant'
        ? message.toolCalls.map(({ id, name }) => [id, name] as const)
        : [],
    ),
  );
  return messages.map((message) =>
    toWireMessage(message, (callId) => names.get(callId)),
  );
};

/**
 * The body of one request: new at each call and not hardened, for the SDK
 * writes into it. The server is told to refuse a conversation that is too long,
 * and to stop when the context is full, where it would cut silently.
 */
export const makeWireRequest = (
  { model, contextTokens, maxTokens }: OllamaHabits,
  { messages, tools }: ChatRequest,
): WireRequest & { stream: true } => {
  const request = {
    model,
    messages: toWireMessages(messages),
    ...(tools.length > 0 ? { tools: toWireTools(tools) } : {}),
    options: {
      num_ctx: contextTokens,
      ...(maxTokens === undefined ? {} : { num_predict: maxTokens }),
    },
    stream: true as const,
    // Not in the SDK's type; servers that do not know them pass them over.
    truncate: false,
    shift: false,
  };
  return request;
};
harden(makeWireRequest);
