/** `LAL_MAX_MESSAGES`: what of a long conversation a model is shown. Pure. */
import type {
  ChatAnswer,
  ChatMessage,
  ChatModel,
  ChatRequest,
} from './chat.ts';

/** Where to begin, with at most `limit` messages or the whole present turn. */
const startOf = (messages: readonly ChatMessage[], limit: number): number => {
  const turn = messages.findLastIndex(({ role }) => role === 'user');
  const wanted = Math.max(0, messages.length - limit);
  // Not between a question and its answer, nor between a call and its results:
  // there are wires that refuse a conversation which begins in the middle.
  const isStart = ({ role }: ChatMessage, index: number): boolean =>
    index >= wanted && (turn === -1 ? role !== 'tool' : role === 'user');
  if (wanted === 0) return 0;
  const start = messages.findIndex(isStart);
  return start === -1 ? Math.max(turn, 0) : start;
};

/**
 * The system messages and at most the newest `limit` others (at least 1),
 * beginning with a message of the user. A call and its results are kept
 * together or dropped together. The newest message of the user and all that
 * follows it is always kept, however much that is.
 */
export const limitMessages = (
  messages: readonly ChatMessage[],
  limit: number,
): readonly ChatMessage[] => {
  const others = messages.filter(({ role }) => role !== 'system');
  const start = startOf(others, limit);
  if (start === 0) return messages;
  let left = start;
  return harden(
    messages.filter(({ role }) => {
      if (role === 'system') return true;
      left -= 1;
      return left < 0;
    }),
  );
};
harden(limitMessages);

const callIdsIn = (messages: readonly ChatMessage[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );

/** A provider that counts its calls cannot know the ids that it was not shown. */
const withFreshIds = (
  answer: ChatAnswer,
  messages: readonly ChatMessage[],
): ChatAnswer => {
  const { message } = answer;
  const taken = callIdsIn(messages);
  if (!message.toolCalls.some(({ id }) => taken.has(id))) return answer;
  const used = new Set([...taken, ...message.toolCalls.map(({ id }) => id)]);
  const toolCalls = message.toolCalls.map((call) => {
    if (!taken.has(call.id)) return call;
    let count = used.size;
    while (used.has(`call_${count}`)) count += 1;
    used.add(`call_${count}`);
    return { ...call, id: `call_${count}` };
  });
  return harden({ ...answer, message: { ...message, toolCalls } });
};

/** `model`, which is shown at most the newest `limit` messages of a request. */
export const withMessageLimit = (model: ChatModel, limit: number): ChatModel =>
  harden({
    provider: model.provider,
    model: model.model,
    chat: async (request: ChatRequest) => {
      const messages = limitMessages(request.messages, limit);
      // Not hardened: an AbortSignal does not survive it.
      const answer = await model.chat(Object.freeze({ ...request, messages }));
      return withFreshIds(answer, request.messages);
    },
  });
harden(withMessageLimit);
