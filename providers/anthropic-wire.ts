/** The neutral messages in the form of the Anthropic wire. Pure. */
import type { Anthropic } from '@anthropic-ai/sdk';

import type {
  ChatMessage,
  ToolCall,
  ToolResultMessage,
  ToolSchema,
} from '../src/model/chat.ts';
import { safeToolName } from './wire-calls.ts';
import { jsonObjectIn } from './wire-values.ts';

type WireText = Anthropic.TextBlockParam;
type WireCall = Anthropic.ToolUseBlockParam;
type WireResult = Anthropic.ToolResultBlockParam;
type WireBlock = WireText | WireCall | WireResult;
type WireMessage = { role: 'user' | 'assistant'; content: WireBlock[] };

/** A breakpoint: everything up to it is kept, and cheaper the next time. */
const CACHED = harden({ cache_control: { type: 'ephemeral' } } as const);

/** The whole request is refused for one text that is empty or blank. */
const safeText = (text: string): string =>
  text.trim() === '' ? '(nothing)' : text;

const textBlock = (text: string): WireText => ({
  type: 'text',
  text: safeText(text),
});

/**
 * An input is an object. When the model's text was none, the tool's result
 * tells it what was wrong.
 */
const inputOf = (argumentsText: string): unknown =>
  jsonObjectIn(argumentsText) ?? {};

type Ids = {
  /** The id on the wire of a call that is met now. */
  readonly forCall: (id: string) => string;
  /** The id on the wire of the call that this result is of. */
  readonly forResult: (id: string) => string;
};

/**
 * Ids on the wire are of `[a-zA-Z0-9_-]` and no two of a request are the same.
 * Calls that another provider made may have any id, and one twice. The same
 * conversation gets the same ids again, or nothing would be found in the cache.
 */
const makeIds = (): Ids => {
  const used = new Set<string>();
  const latest = new Map<string, string>();
  const makeSafe = (id: string): string => {
    const base = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'call';
    let safe = base;
    for (let count = 2; used.has(safe); count += 1) safe = `${base}_${count}`;
    used.add(safe);
    return safe;
  };
  const forCall = (id: string): string => {
    const safe = makeSafe(id);
    latest.set(id, safe);
    return safe;
  };
  return {
    forCall,
    forResult: (id) => latest.get(id) ?? forCall(id),
  };
};

const toCall = (
  { id, name, argumentsText }: ToolCall,
  { forCall }: Ids,
): WireCall => ({
  type: 'tool_use',
  id: forCall(id),
  name: safeToolName(name),
  input: inputOf(argumentsText),
});

const toResult = (
  { callId, content, isError }: ToolResultMessage,
  { forResult }: Ids,
): WireResult => ({
  type: 'tool_result',
  tool_use_id: forResult(callId),
  content: safeText(content),
  ...(isError ? { is_error: true } : {}),
});

const toWireMessage = (
  message: Exclude<ChatMessage, { role: 'system' }>,
  ids: Ids,
): WireMessage => {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [textBlock(message.content)] };
    case 'tool':
      return { role: 'user', content: [toResult(message, ids)] };
    case 'assistant': {
      const calls = message.toolCalls.map((call) => toCall(call, ids));
      const isSilent = calls.length > 0 && message.content.trim() === '';
      const texts = isSilent ? [] : [textBlock(message.content)];
      return { role: 'assistant', content: [...texts, ...calls] };
    }
  }
};

const isResult = ({ type }: WireBlock): boolean => type === 'tool_result';

/** Results answer the calls right before them: nothing may stand between. */
const withResultsFirst = ({ role, content }: WireMessage): WireMessage => ({
  role,
  content: [
    ...content.filter(isResult),
    ...content.filter((block) => !isResult(block)),
  ],
});

const mergeRoles = (messages: readonly WireMessage[]): WireMessage[] => {
  const merged: WireMessage[] = [];
  for (const { role, content } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) last.content.push(...content);
    else merged.push({ role, content: [...content] });
  }
  return merged.map(withResultsFirst);
};

const withBreakpoint = ({ role, content }: WireMessage): WireMessage => ({
  role,
  content: content.map((block, index) =>
    index === content.length - 1 ? { ...block, ...CACHED } : block,
  ),
});

/**
 * Breakpoints at the last two messages of the user: where this request ends,
 * and where the one before it did, for a reading however many blocks came since.
 */
const withBreakpoints = (messages: readonly WireMessage[]): WireMessage[] => {
  const ends = messages
    .map(({ role }, index) => (role === 'user' ? index : -1))
    .filter((index) => index >= 0)
    .slice(-2);
  return messages.map((message, index) =>
    ends.includes(index) ? withBreakpoint(message) : message,
  );
};

export const toAnthropicMessages = (
  messages: readonly ChatMessage[],
): Anthropic.MessageParam[] => {
  const ids = makeIds();
  const wire = messages.flatMap((message) =>
    message.role === 'system' ? [] : [toWireMessage(message, ids)],
  );
  return withBreakpoints(mergeRoles(wire));
};
harden(toAnthropicMessages);

/** One text of all system messages, or undefined when there is none. */
export const toAnthropicSystem = (
  messages: readonly ChatMessage[],
): Anthropic.TextBlockParam[] | undefined => {
  const texts = messages.flatMap(({ role, content }) =>
    role === 'system' && content.trim() !== '' ? [content] : [],
  );
  if (texts.length === 0) return undefined;
  return [{ type: 'text', text: texts.join('\n\n'), ...CACHED }];
};
harden(toAnthropicSystem);

export const toAnthropicTools = (
  tools: readonly ToolSchema[],
): Anthropic.Tool[] =>
  tools.map(({ function: { name, description, parameters } }, index) => ({
    name,
    description,
    input_schema: { ...parameters, type: 'object' },
    ...(index === tools.length - 1 ? CACHED : {}),
  }));
harden(toAnthropicTools);
