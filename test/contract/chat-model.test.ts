import { anthropicWire } from '../support/anthropic-model.ts';
import { badAnthropicReplies } from '../support/anthropic-server.ts';
import { ollamaWire } from '../support/ollama-model.ts';
import { badOllamaReplies } from '../support/ollama-server.ts';
import { openAiWire } from '../support/openai-model.ts';
import { badReplies } from '../support/openai-server.ts';
import { describeChatModel } from './chat-model.ts';

const SSE = { 'content-type': 'text/event-stream' };

describeChatModel({
  ...openAiWire,
  bad: badReplies,
  toErrorInAnswer: (message) => ({
    raw: JSON.stringify({ error: { message } }),
  }),
  toErrorInStream: (message) => ({
    raw: `data: ${JSON.stringify({ error: { message } })}\n\n`,
    headers: SSE,
  }),
  timesOut: true,
});

describeChatModel({
  ...anthropicWire,
  bad: badAnthropicReplies,
  toErrorInAnswer: (message) => ({
    raw: JSON.stringify({ type: 'error', error: { message } }),
  }),
  toErrorInStream: (error) => ({
    text: 'half',
    errorEvent: 'api_error',
    error,
  }),
  timesOut: true,
});

describeChatModel({
  ...ollamaWire,
  bad: badOllamaReplies,
  toErrorInAnswer: (error) => ({ raw: JSON.stringify({ error }) }),
  toErrorInStream: (errorLine) => ({ text: 'half', errorLine }),
  timesOut: false,
});
