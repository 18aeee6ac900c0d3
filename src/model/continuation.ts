import { readAnswerParts } from './answer-parts.ts';
import type {
  ChatAnswer,
  ChatMessage,
  ChatModel,
  ChatRequest,
} from './chat.ts';
import { joinTexts } from './join-texts.ts';
import { ModelError } from './model-error.ts';
import { addUsage } from './usage.ts';

export type ContinuationOptions = {
  /** How often one cut-off answer is gone on with; 2 unless told. */
  readonly maxContinuations?: number;
};

const GO_ON =
  'Your answer was cut off at the token limit. Go on exactly where it stopped: ' +
  'repeat nothing and say nothing about the interruption.';
const CALL_AGAIN =
  'Your answer was cut off at the token limit in the middle of a tool call, so no ' +
  'tool was run. Call again with shorter arguments, or in several smaller steps.';
const STOP_THINKING =
  'Your answer was cut off at the token limit while you were still thinking. ' +
  'Answer now, in short, without thinking again.';

type Cut = 'prose' | 'call' | 'thought';

const whatWasCut = ({ message }: ChatAnswer): Cut => {
  if (message.toolCalls.length > 0) return 'call';
  const last = readAnswerParts(message.content).at(-1);
  if (last?.type === 'call') return 'call';
  if (last === undefined || (last.type === 'think' && !last.closed))
    return 'thought';
  return 'prose';
};

/** What the model had said before the part that was cut off. */
const keptContent = (answer: ChatAnswer, cut: Cut): string =>
  cut === 'prose'
    ? answer.message.content
    : readAnswerParts(answer.message.content)
        .map((part) => (part.type === 'text' ? part.source : ''))
        .join('')
        .trim();

const INSTRUCTIONS: Readonly<Record<Cut, string>> = {
  prose: GO_ON,
  call: CALL_AGAIN,
  thought: STOP_THINKING,
};

const followUp = (content: string, cut: Cut): readonly ChatMessage[] => [
  // An empty answer is refused by some servers.
  {
    role: 'assistant',
    content: content === '' ? '(cut off)' : content,
    toolCalls: [],
  },
  { role: 'user', content: INSTRUCTIONS[cut] },
];

/** What is reported when it stays cut off: never a call that is not whole. */
const asCutOff = (answer: ChatAnswer, content: string): ChatAnswer =>
  harden({
    message: { role: 'assistant', content, toolCalls: [] },
    stop: 'length',
    usage: answer.usage,
  });

const withBefore = (
  answer: ChatAnswer,
  before: ChatAnswer,
  head: string,
): ChatAnswer =>
  harden({
    message: {
      ...answer.message,
      content: joinTexts(head, answer.message.content),
    },
    stop: answer.stop,
    usage: addUsage(before.usage, answer.usage),
  });

/**
 * `model`, where an answer that was cut off at the token limit is gone on with.
 * Prose is joined. Calls that were cut off are dropped, all of that answer, and
 * the model is told. What is still cut off in the end has `stop: 'length'`, no
 * tool calls and the text so far. The follow-up calls are not seen by the
 * caller but in the usage, which is summed.
 */
export const withContinuation = (
  model: ChatModel,
  { maxContinuations = 2 }: ContinuationOptions = {},
): ChatModel => {
  const goOn = async (
    request: ChatRequest,
    answer: ChatAnswer,
    left: number,
  ): Promise<ChatAnswer> => {
    if (answer.stop !== 'length') return answer;
    const cut = whatWasCut(answer);
    const kept = keptContent(answer, cut);
    if (left === 0) return asCutOff(answer, kept);
    const messages = [...request.messages, ...followUp(kept, cut)];
    let next: ChatAnswer;
    try {
      // Not hardened: an AbortSignal does not survive it.
      next = await model.chat(
        Object.freeze({ ...request, messages: harden(messages) }),
      );
    } catch (error) {
      const hasText =
        error instanceof ModelError &&
        error.kind !== 'cancelled' &&
        kept !== '';
      // Half an answer that says it is cut off is worth more than none.
      if (hasText) return asCutOff(answer, kept);
      throw error;
    }
    const head = cut === 'prose' ? kept : '';
    return goOn(request, withBefore(next, answer, head), left - 1);
  };
  return harden({
    provider: model.provider,
    model: model.model,
    chat: async (request: ChatRequest) =>
      goOn(request, await model.chat(request), maxContinuations),
  });
};
harden(withContinuation);
