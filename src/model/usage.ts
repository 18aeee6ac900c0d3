import type { ChatAnswer, ChatRequest, Usage } from './chat.ts';

export const noUsage: Usage = harden({ input: 0, cached: 0, output: 0 });
harden(noUsage);

export const addUsage = (one: Usage, other: Usage): Usage => ({
  input: one.input + other.input,
  cached: one.cached + other.cached,
  output: one.output + other.output,
});
harden(addUsage);

const CHARACTERS_A_TOKEN = 4;

const tokensOf = (value: unknown): number =>
  Math.ceil(JSON.stringify(value).length / CHARACTERS_A_TOKEN);

/**
 * What a call cost. A server that does not say is not free: its call is
 * estimated by length, or no limit on tokens would hold.
 */
export const usageOf = (
  { messages, tools }: Pick<ChatRequest, 'messages' | 'tools'>,
  { message, usage }: ChatAnswer,
): Usage =>
  usage.input + usage.output > 0
    ? usage
    : {
        input: tokensOf(messages) + tokensOf(tools),
        cached: 0,
        output: tokensOf(message),
      };
harden(usageOf);
