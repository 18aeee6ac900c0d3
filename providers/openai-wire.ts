/** The neutral messages in the form of the OpenAI wire, and back. Pure. */
import type { OpenAI } from 'openai';

import type { ChatMessage, ToolSchema } from '../src/model/chat.ts';
import { safeToolName } from './wire-calls.ts';
import { jsonObjectIn } from './wire-values.ts';

type WireMessage = OpenAI.ChatCompletionMessageParam;
type WireTool = OpenAI.ChatCompletionFunctionTool;

/**
 * Servers parse the arguments of earlier calls and refuse the whole request
 * when one is not a JSON object. The tool's result tells the model what was
 * wrong with the original.
 */
const safeArguments = (text: string): string =>
  jsonObjectIn(text) === undefined ? '{}' : text;

const toWireMessage = (message: ChatMessage): WireMessage => {
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: message.role, content: message.content };
    case 'tool': {
      const content =
        message.isError && !/^error\b/i.test(message.content)
          ? `Error: ${message.content}`
          : message.content;
      return { role: 'tool', tool_call_id: message.callId, content };
    }
    case 'assistant': {
      if (message.toolCalls.length === 0) {
        // Some servers refuse an empty text.
        return { role: 'assistant', content: message.content || '(nothing)' };
      }
      return {
        role: 'assistant',
        content: message.content,
        tool_calls: message.toolCalls.map(({ id, name, argumentsText }) => ({
          id,
          type: 'function',
          function: {
            name: safeToolName(name),
            arguments: safeArguments(argumentsText),
          },
        })),
      };
    }
  }
};

export const toWireMessages = (
  messages: readonly ChatMessage[],
): WireMessage[] => messages.map(toWireMessage);
harden(toWireMessages);

export const toWireTools = (tools: readonly ToolSchema[]): WireTool[] =>
  tools.map(({ function: { name, description, parameters } }) => ({
    type: 'function',
    // The SDK's type is mutable; the wire only reads it.
    function: { name, description, parameters: { ...parameters } },
  }));
harden(toWireTools);
