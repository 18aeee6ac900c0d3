import { M, type Pattern } from '@endo/patterns';

/**
 * The shapes of what is stored. A record that does not fit is not guessed at:
 * the reader is told which one it was.
 */

/** Format version of every record that this version of Hob writes. */
export const FORMAT = 1;
harden(FORMAT);

/** Characters of one text: an answer, a result, a whole inbox listing. */
export const TextShape = M.string({ stringLengthLimit: 16_000_000 });
harden(TextShape);
export const ListShape = (item: Pattern): Pattern =>
  M.arrayOf(item, { arrayLengthLimit: 100_000 });
harden(ListShape);

export const MessageIdShape = M.string({ stringLengthLimit: 200 });
harden(MessageIdShape);

const CallShape = M.splitRecord(
  { id: TextShape, name: TextShape, argumentsText: TextShape },
  {},
  {},
);

export const AssistantShape = M.splitRecord(
  { role: 'assistant', content: TextShape, toolCalls: ListShape(CallShape) },
  {},
  {},
);
harden(AssistantShape);

const UserShape = M.splitRecord({ role: 'user', content: TextShape }, {}, {});

const ToolResultShape = M.splitRecord(
  {
    role: 'tool',
    callId: TextShape,
    content: TextShape,
    isError: M.boolean(),
  },
  {},
  {},
);

/** Never a system message: the prompt belongs to the program. */
export const MessagesShape = ListShape(
  M.or(UserShape, AssistantShape, ToolResultShape),
);
harden(MessagesShape);

export const UsageShape = M.splitRecord(
  { input: M.number(), cached: M.number(), output: M.number() },
  {},
  {},
);
harden(UsageShape);
