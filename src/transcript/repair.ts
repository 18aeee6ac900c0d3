import type { ChatMessage, ToolResultMessage } from '../model/chat.ts';

/** What stands where the result of a call was lost. */
export const INTERRUPTED =
  'interrupted, outcome unknown; check before you repeat it';
harden(INTERRUPTED);

const interrupted = (callId: string): ToolResultMessage => ({
  role: 'tool',
  callId,
  content: INTERRUPTED,
  isError: true,
});

/** The results that directly follow the message at `index`. */
const resultsAfter = (
  messages: readonly ChatMessage[],
  index: number,
): readonly ToolResultMessage[] => {
  const results: ToolResultMessage[] = [];
  for (let at = index + 1; at < messages.length; at += 1) {
    const next = messages[at];
    if (next?.role !== 'tool') break;
    results.push(next);
  }
  return results;
};

/**
 * Every call with exactly one result, right behind it and in the order of the
 * calls; no result without a call. Providers refuse anything else for ever, so
 * one journal cut short would end a conversation.
 */
export const repairCalls = (
  messages: readonly ChatMessage[],
): readonly ChatMessage[] =>
  messages.flatMap((message, index): readonly ChatMessage[] => {
    if (message.role === 'tool') return [];
    if (message.role !== 'assistant') return [message];
    const results = resultsAfter(messages, index);
    return [
      message,
      ...message.toolCalls.map(
        ({ id }) =>
          results.find(({ callId }) => callId === id) ?? interrupted(id),
      ),
    ];
  });
harden(repairCalls);
