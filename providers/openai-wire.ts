/** The neutral messages in the form of the OpenAI wire. Pure. */
import type { OpenAI } from 'openai';

import type { ChatMessage } from '../src/model/chat.ts';
import { resultText, safeToolName } from './wire-calls.ts';
import { jsonObjectIn } from './wire-values.ts';

type WireMessage = OpenAI.ChatCompletionMessageParam;

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
      const content = resultText(message);
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
