import { makeContextWindow } from '../../src/agent/context-window.ts';
import { makeTurnContext } from '../../src/agent/context.ts';
import type { ContextEvent } from '../../src/agent/past.ts';
import { makeSystemPrompt } from '../../src/agent/prompt.ts';
import type {
  ChatMessage,
  ChatModel,
  ToolCall,
  ToolSchema,
  Usage,
} from '../../src/model/chat.ts';
import { addUsage, noUsage } from '../../src/model/usage.ts';
import { walkChain } from '../../src/transcript/chain.ts';
import { sortNames } from '../../src/transcript/names.ts';
import type { TranscriptNode } from '../../src/transcript/node.ts';
import { makeTranscriptStore } from '../../src/transcript/store.ts';
import { makeSummaryStore } from '../../src/transcript/summaries.ts';
import { makeMemoryDirectory } from '../transcript/memory-directory.ts';

const tool = (name: string, description: string): ToolSchema => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: 'where it is' } },
      required: ['path'],
    },
  },
});

export const TOOLS: readonly ToolSchema[] = harden([
  tool('readFile', 'Reads a file.'),
  tool('store', 'Stores a value under a name.'),
]);

export const PROMPT = makeSystemPrompt({ name: 'hob' });

export type TurnOptions = {
  readonly parent?: string | null;
  readonly runCall?: (call: ToolCall) => string;
  readonly signal?: AbortSignal;
  readonly summaryTokens?: number;
};

export type TurnRecord = {
  readonly id: string;
  readonly messages: readonly ChatMessage[];
  readonly usage: Usage;
  readonly events: readonly ContextEvent[];
};

/**
 * As much of a runner as a context needs: turns that hang on each other, in a
 * durable store, with nothing kept in memory from one turn to the next but the
 * window.
 */
export const makeContextWorld = ({
  model,
  contextTokens,
  maxTokens,
  prompt = PROMPT,
  tools = TOOLS,
  directory = makeMemoryDirectory(),
}: {
  readonly model: ChatModel;
  readonly contextTokens: number;
  readonly maxTokens?: number;
  readonly prompt?: string;
  readonly tools?: readonly ToolSchema[];
  /** Of an agent before. */
  readonly directory?: ReturnType<typeof makeMemoryDirectory>;
}) => {
  const window = makeContextWindow({ contextTokens, maxTokens });
  let count = directory.names().length;

  const open = () => {
    const { nodes, summaries } = sortNames(directory.names());
    const cacheBytes = 1_000_000;
    return {
      store: makeTranscriptStore({ directory, present: nodes, cacheBytes }),
      summaries: makeSummaryStore({
        directory,
        present: summaries,
        cacheBytes,
      }),
    };
  };

  const turn = async (
    text: string,
    {
      parent = null,
      runCall = () => 'done',
      signal = new AbortController().signal,
      summaryTokens = 100_000,
    }: TurnOptions = {},
  ): Promise<TurnRecord> => {
    const { store, summaries } = open();
    const powers = { get: store.get, summaryOf: summaries.get };
    const walk = await walkChain(powers, parent);
    const events: ContextEvent[] = [];
    let usage = noUsage;
    const context = makeTurnContext({
      ...{ model, window, prompt, walk, summaries, signal, summaryTokens },
      onSpent: (spent) => {
        usage = addUsage(usage, spent);
      },
      onEvent: (event) => {
        events.push(event);
      },
    });
    count += 1;
    const id = count.toString(16).padStart(64, '0');
    const messages: ChatMessage[] = [
      { role: 'user', content: `Message #${count} from HOST:\n"${text}"` },
    ];
    for (;;) {
      const { answer } = await context.ask(messages, tools);
      usage = addUsage(usage, answer.usage);
      messages.push(answer.message);
      for (const call of answer.message.toolCalls) {
        const content = runCall(call);
        messages.push({
          role: 'tool',
          callId: call.id,
          content,
          isError: false,
        });
      }
      if (answer.message.toolCalls.length === 0) break;
    }
    const before = parent === null ? undefined : await store.get(parent);
    const node: TranscriptNode = {
      messageId: id,
      parentMessageId: parent,
      messages,
      correspondent: 'host',
      turns: (before?.turns ?? 0) + 1,
      exchanges: 1,
      unattended: 0,
      rootMessageId: 'f'.repeat(64),
      failed: false,
    };
    await store.put(harden(node));
    return { id, messages, usage, events };
  };

  return { directory, window, turn, open };
};
