/** What the wires have in common about tools and their calls. Pure. */
import type {
  ChatMessage,
  ToolCall,
  ToolResultMessage,
  ToolSchema,
} from '../src/model/chat.ts';

/** The ids of all calls in a conversation: a new call may have none of them. */
export const idsIn = (messages: readonly ChatMessage[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      message.role === 'assistant' ? message.toolCalls.map(({ id }) => id) : [],
    ),
  );
harden(idsIn);

/**
 * The calls of an answer, each with an id of its own: servers give none, or
 * one twice. `taken`: the ids of earlier calls.
 */
export const withUniqueIds = (
  calls: readonly ToolCall[],
  taken: ReadonlySet<string>,
): readonly ToolCall[] => {
  const used = new Set(taken);
  let count = used.size;
  return calls.map(({ id: given, name, argumentsText }) => {
    let id = given;
    while (id === '' || used.has(id)) {
      count += 1;
      id = `call_${count}`;
    }
    used.add(id);
    return {
      id,
      name,
      argumentsText: argumentsText.trim() === '' ? '{}' : argumentsText,
    };
  });
};
harden(withUniqueIds);

/** Servers refuse the whole request for a name that no function may have. */
export const safeToolName = (name: string): string =>
  name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';
harden(safeToolName);

/** The text of a result, for wires that have no other mark of an error. */
export const resultText = ({ content, isError }: ToolResultMessage): string =>
  isError && !/^error\b/i.test(content) ? `Error: ${content}` : content;
harden(resultText);

/** For the SDKs, whose types are mutable; the wires only read it. */
export const toWireTools = (tools: readonly ToolSchema[]) =>
  tools.map(({ function: { name, description, parameters } }) => ({
    type: 'function' as const,
    function: { name, description, parameters: { ...parameters } },
  }));
harden(toWireTools);
