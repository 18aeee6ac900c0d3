/**
 * A stand-in for trying Hob with no model at all: it follows a few rules and
 * says so at the start of every answer. It works from the request alone, keeps
 * nothing, and has no clock.
 */
import { cancelledError } from '../src/model/cancelled.ts';
import type {
  AssistantMessage,
  ChatAnswer,
  ChatMessage,
  ChatModel,
  ChatRequest,
} from '../src/model/chat.ts';
import { readAllMail } from './practice-mail.ts';
import { applyRules } from './practice-rules.ts';
import type { RuleOutcome } from './practice-rules.ts';

const OPENING = 'practice model:';

/** About four characters a token, as a rule of thumb. */
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

const answerWith = (
  { messages }: ChatRequest,
  message: Omit<AssistantMessage, 'role'>,
): ChatAnswer => {
  const input = messages.reduce(
    (sum, { content }) => sum + tokensOf(content),
    0,
  );
  const output = tokensOf(message.content + JSON.stringify(message.toolCalls));
  return harden({
    message: { role: 'assistant', ...message },
    stop: message.toolCalls.length > 0 ? 'tools' : 'end',
    usage: { input, cached: 0, output },
  });
};

const sayThat = (text: string) => ({
  content: `${OPENING} ${text}`,
  toolCalls: [],
});

/** What is left to the HOST: its result is not there yet. */
const ASKED: Readonly<Record<string, string>> = harden({
  evaluate: 'I have proposed that to my host, and go on when it is decided.',
  request: 'I have asked my host for that, and go on when it is decided.',
});

/** The call that the newest tool result answers, and that result. */
const describeResults = (
  messages: readonly ChatMessage[],
): string | undefined => {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return undefined;
  const call = messages
    .flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls : [],
    )
    .findLast(({ id }) => id === last.callId);
  const name = call?.name ?? 'the tool';
  if (last.isError) return `${name} did not work: ${last.content}`;
  return Object.hasOwn(ASKED, name)
    ? ASKED[name]
    : `I called ${name}, and it answered: ${last.content}`;
};

const answerFor = (request: ChatRequest): Omit<AssistantMessage, 'role'> => {
  const { messages, tools } = request;
  const result = describeResults(messages);
  if (result !== undefined) return sayThat(result);
  const outcome: RuleOutcome = applyRules({
    mail: readAllMail(messages),
    toolNames: tools.map((tool) => tool.function.name),
  });
  if (outcome.type === 'say') return sayThat(outcome.text);
  const argumentsText = JSON.stringify(outcome.args);
  const id = `practice-${messages.length}`;
  return {
    content: '',
    toolCalls: [{ id, name: outcome.name, argumentsText }],
  };
};

const chat = async (request: ChatRequest): Promise<ChatAnswer> => {
  // A call takes a turn of the event loop, as any other model's does.
  await Promise.resolve();
  if (request.signal.aborted) throw cancelledError();
  return answerWith(request, answerFor(request));
};

export const makePracticeModel = (): ChatModel =>
  harden({ provider: 'practice', model: 'rules', chat });
harden(makePracticeModel);
