import type { AssistantMessage, ChatMessage } from '../model/chat.ts';
import { extractToolCalls } from '../model/text-tool-calls.ts';

/**
 * Whether a call written as text stands in what others wrote: then the model
 * repeats it, and does not ask for it.
 */
const isQuotedIn =
  (conversation: readonly ChatMessage[]) =>
  (json: string): boolean => {
    const asText = JSON.stringify(json).slice(1, -1);
    return conversation.some(
      ({ role, content }) =>
        role !== 'assistant' &&
        (content.includes(json) || content.includes(asText)),
    );
  };

/**
 * The calls of an answer: structured ones as they are; those written as text,
 * made structured.
 */
export const readCalls = (
  message: AssistantMessage,
  conversation: readonly ChatMessage[],
  makeId: () => string,
): {
  readonly message: AssistantMessage;
  /** Calls that could not be read: a sentence each, for the model. */
  readonly problems: readonly string[];
} => {
  if (message.toolCalls.length > 0) return { message, problems: [] };
  const isQuoted = isQuotedIn(conversation);
  const found = extractToolCalls(message.content, { makeId, isQuoted });
  const { content, toolCalls, problems } = found;
  return toolCalls.length === 0
    ? { message, problems }
    : { message: { role: 'assistant', content, toolCalls }, problems };
};
harden(readCalls);
