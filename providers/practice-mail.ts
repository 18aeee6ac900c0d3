/** Reads the agent's user messages: `Message #9 from HOST:` over a JSON string. */
import type { ChatMessage } from '../src/model/chat.ts';

const HEADER = /^Message #\d+ from .*$/;

/** The first line of what the agent tells of a decision: it has no header. */
const DECISION = /^Your (?:proposal|request) #\d+ was /;

const parseText = (line: string): string | undefined => {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'string' ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

/** What somebody wrote. Tolerant: what it does not know is the text itself. */
export const readMail = (content: string): string => {
  const lines = content.split('\n');
  const decision = lines.findIndex((line) => DECISION.test(line));
  if (decision >= 0) return lines.slice(decision).join('\n');
  const header = lines.findIndex((line) => HEADER.test(line));
  const body = lines.slice(header + 1).filter((line) => line.trim() !== '');
  const [first = ''] = body;
  return (parseText(first) ?? body.join('\n')).trim();
};
harden(readMail);

/** The texts of all mail in a conversation, oldest first. */
export const readAllMail = (
  messages: readonly ChatMessage[],
): readonly string[] =>
  messages.flatMap((message) =>
    message.role === 'user' ? [readMail(message.content)] : [],
  );
harden(readAllMail);
