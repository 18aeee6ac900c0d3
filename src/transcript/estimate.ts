import type { ChatMessage, ToolSchema } from '../model/chat.ts';
import { textWeight } from './text-weight.ts';

type Counted = {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolSchema[];
};

/** Tokens by weight, times what the model's own counts have shown so far. */
export type TokenEstimate = {
  readonly ofText: (text: string) => number;
  readonly of: (request: Counted) => number;
  /** What a request that was answered had, by the model's own count. */
  readonly learn: (request: Counted, tokens: number) => void;
};

const LEAST = 0.85;
const MOST = 2.5;
/** Some servers count only what they had not in their cache. */
const INCREDIBLE = 0.5;
/** Of the way to a lower count: the next text may be denser. */
const STEP_DOWN = 0.25;
/** For roles, separators and templates that no text shows. */
const FRAMING = 8;

const weightOfMessage = (message: ChatMessage): number => {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return calls.reduce(
    (sum, { name, argumentsText }) =>
      sum + FRAMING + textWeight(name) + textWeight(argumentsText),
    FRAMING + textWeight(message.content),
  );
};

/** What never changes is weighed once. */
const makeMemory = <T extends object>(
  weigh: (item: T) => number,
): ((item: T) => number) => {
  const known = new WeakMap<T, number>();
  return (item) => {
    const weight = known.get(item) ?? weigh(item);
    known.set(item, weight);
    return weight;
  };
};

export const makeTokenEstimate = (): TokenEstimate => {
  const messageWeight = makeMemory(weightOfMessage);
  const toolWeight = makeMemory(
    (tool: ToolSchema) => FRAMING + textWeight(JSON.stringify(tool)),
  );
  let factor = 1;

  const weightOfAll = ({ messages, tools = [] }: Counted): number => {
    let sum = 0;
    for (const message of messages) sum += messageWeight(message);
    for (const tool of tools) sum += toolWeight(tool);
    return sum;
  };

  return harden({
    ofText: (text: string) => Math.ceil(textWeight(text) * factor),
    of: (request: Counted) => Math.ceil(weightOfAll(request) * factor),
    learn: (request: Counted, tokens: number) => {
      const seen = Math.min(MOST, tokens / Math.max(1, weightOfAll(request)));
      if (seen < INCREDIBLE) return;
      factor =
        seen > factor
          ? seen
          : Math.max(LEAST, factor + (seen - factor) * STEP_DOWN);
    },
  });
};
harden(makeTokenEstimate);
