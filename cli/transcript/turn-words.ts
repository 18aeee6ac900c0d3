import type { ChatCall, ChatPart } from './records.ts';
import type { Turn } from './archive.ts';

const HEADER = /^Message #\d+ from /u;
/** Requests and proposals stand as `asks for a value: "…"`. */
const QUOTED = /^((?:[a-z ]+: )?)(".*")$/u;

const unquoted = (line: string): string => {
  const [, kind = '', quoted] = QUOTED.exec(line) ?? [];
  if (quoted === undefined) return line;
  try {
    return `${kind}${String(JSON.parse(quoted))}`;
  } catch (error) {
    // The agent writes JSON here; whoever wrote this is read as he wrote it.
    if (error instanceof SyntaxError) return line;
    throw error;
  }
};

/**
 * What somebody wrote, out of the words in which the model was told: the header
 * names him by a number and a name that are the agent's, and is left out.
 */
export const writtenText = (content: string): string => {
  const lines = content.split('\n');
  const header = lines.findIndex((line) => HEADER.test(line));
  if (header < 0) return content;
  const body = lines.slice(header + 1);
  const [first = '', ...rest] = body;
  return [...lines.slice(0, header), unquoted(first), ...rest].join('\n');
};
harden(writtenText);

/** What the turn began with. */
export const askedText = ({ messages }: Turn): string => {
  const first = messages.find(({ role }) => role === 'user');
  return first === undefined ? '' : writtenText(first.content);
};
harden(askedText);

/** What it ended with; '' as long as it has not. */
export const answerText = ({ messages, state }: Turn): string => {
  const last = messages.at(-1);
  const isOver = state === 'settled' || state === 'failed';
  return isOver && last?.role === 'assistant' ? last.content : '';
};
harden(answerText);

/** A tool call and what came of it; `undefined` as long as nothing has. */
export type CallWithResult = {
  readonly call: ChatCall;
  readonly result: Extract<ChatPart, { readonly role: 'tool' }> | undefined;
};

/** One thing after the other, each call with its own result. */
export type Step =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'call' } & CallWithResult);

/** What the agent said and did after what it was asked. */
export const stepsOf = ({ messages }: Turn): readonly Step[] => {
  const first = messages.findIndex(({ role }) => role === 'user');
  return messages.flatMap((message, at): readonly Step[] => {
    if (at === first || message.role === 'tool') return [];
    const { content } = message;
    const said: readonly Step[] =
      content.trim() === '' ? [] : [{ type: 'text', text: content }];
    if (message.role === 'user') return said;
    // Ids of calls are unique within one answer only.
    const results = messages.slice(at + 1);
    const end = results.findIndex(({ role }) => role !== 'tool');
    const own = end < 0 ? results : results.slice(0, end);
    const calls = message.toolCalls.map((call): Step => {
      const result = own.find(
        (each) => each.role === 'tool' && each.callId === call.id,
      );
      return {
        type: 'call',
        call,
        result: result?.role === 'tool' ? result : undefined,
      };
    });
    return [...said, ...calls];
  });
};
harden(stepsOf);
