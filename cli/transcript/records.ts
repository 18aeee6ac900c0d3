import {
  countIn,
  type Fields,
  fieldsOf,
  flagIn,
  listIn,
  numberIn,
  recordOf,
  textIn,
  textOrNullIn,
} from './fields.ts';

/**
 * The records that an agent keeps in its guest (docs/protocol.md), read as
 * data of others. Nothing is shared with the agent's own reader.
 */

export type ChatCall = {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
};

export type ChatPart =
  | { readonly role: 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls: readonly ChatCall[];
    }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly content: string;
      readonly isError: boolean;
    };

export type TokenCounts = {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
};

/** Where a turn stands in its conversation. */
type Place = {
  readonly parentMessageId: string | null;
  /** Handle id of whom the conversation is with. */
  readonly correspondent: string;
  /** Of its message, in the agent's mailbox. */
  readonly number?: bigint;
};

export type StoredNode = Place & {
  readonly messageId: string;
  /** Empty for a message that only points to the turn that sent it. */
  readonly messages: readonly ChatPart[];
  readonly failed: boolean;
  readonly usage?: TokenCounts;
};

/** A turn that is not settled, as far as its journal tells. */
export type StoredJournal = Partial<Place> & {
  readonly messages: readonly ChatPart[];
  readonly usage: TokenCounts;
  /** Its end is decided on, and may have been told. */
  readonly isClosing: boolean;
};

/** A proposal or a request whose outcome has not been told yet. */
export type StoredOpen = {
  readonly messageId: string;
  readonly number: bigint;
  readonly kind: 'proposal' | 'request';
  readonly askedBy: string | null;
  readonly tip: string | null;
  readonly asked: string;
};

const parseCall = (value: unknown): ChatCall => {
  const fields = fieldsOf(value, 'toolCalls');
  return {
    id: textIn(fields, 'id'),
    name: textIn(fields, 'name'),
    argumentsText: textIn(fields, 'argumentsText'),
  };
};

const parsePart = (value: unknown): ChatPart => {
  const fields = fieldsOf(value, 'messages');
  const content = textIn(fields, 'content');
  const role = textIn(fields, 'role');
  switch (role) {
    case 'user':
      return { role, content };
    case 'assistant': {
      const toolCalls = listIn(fields, 'toolCalls').map(parseCall);
      return { role, content, toolCalls };
    }
    case 'tool': {
      const isError = flagIn(fields, 'isError');
      return { role, callId: textIn(fields, 'callId'), content, isError };
    }
    default:
      throw Error('a message of it is of nobody that takes part');
  }
};

const parseTokens = (value: unknown): TokenCounts => {
  const fields = fieldsOf(value, 'usage');
  return {
    input: countIn(fields, 'input'),
    cached: countIn(fields, 'cached'),
    output: countIn(fields, 'output'),
  };
};

/**
 * @param messageId - of the name it was stored under
 * @throws Error that says what is wrong with it
 */
export const readNode = (messageId: string, stored: unknown): StoredNode => {
  const fields = recordOf(stored);
  if (textIn(fields, 'messageId') !== messageId) {
    throw Error('it is of another message: it was renamed or copied');
  }
  const { lastInboxNumber, usage } = fields;
  return harden({
    messageId,
    parentMessageId: textOrNullIn(fields, 'parentMessageId'),
    correspondent: textIn(fields, 'correspondent'),
    messages: listIn(fields, 'messages').map(parsePart),
    failed: flagIn(fields, 'failed'),
    ...(lastInboxNumber === undefined
      ? {}
      : { number: numberIn(fields, 'lastInboxNumber') }),
    ...(usage === undefined ? {} : { usage: parseTokens(usage) }),
  });
};
harden(readNode);

const addTokens = (a: TokenCounts, b: TokenCounts): TokenCounts => ({
  input: a.input + b.input,
  cached: a.cached + b.cached,
  output: a.output + b.output,
});

const parseOutcome = (value: unknown): ChatPart => {
  const fields = fieldsOf(value, 'outcomes');
  return {
    role: 'tool',
    callId: textIn(fields, 'callId'),
    content: textIn(fields, 'content'),
    isError: flagIn(fields, 'isError'),
  };
};

const addRecord = (journal: StoredJournal, fields: Fields): StoredJournal => {
  const { messages } = journal;
  const type = textIn(fields, 'type');
  switch (type) {
    case 'begin':
      return {
        ...journal,
        parentMessageId: textOrNullIn(fields, 'parentMessageId'),
        correspondent: textIn(fields, 'correspondent'),
        number: numberIn(fields, 'number'),
        messages: [
          { role: 'user', content: textIn(fields, 'opening') },
          ...messages,
        ],
      };
    case 'answer':
      return {
        ...journal,
        messages: [...messages, parsePart(fields['message'])],
        usage: addTokens(journal.usage, parseTokens(fields['usage'])),
      };
    case 'results': {
      const results = listIn(fields, 'outcomes').map(parseOutcome);
      return { ...journal, messages: [...messages, ...results] };
    }
    case 'notice': {
      const content = textIn(fields, 'text');
      const notice = { role: 'assistant', content, toolCalls: [] } as const;
      return { ...journal, messages: [...messages, notice], isClosing: true };
    }
    case 'intent': {
      const { key } = fieldsOf(fields['intent'], 'intent');
      return key === 'closing' ? { ...journal, isClosing: true } : journal;
    }
    default:
      // What was about to happen, and has no outcome yet.
      return journal;
  }
};

const noJournal: StoredJournal = harden({
  messages: [],
  usage: { input: 0, cached: 0, output: 0 },
  isClosing: false,
});

/**
 * @param entries - as they were stored, in their order
 * @throws Error that says what is wrong with one
 */
export const readJournal = (entries: readonly unknown[]): StoredJournal =>
  harden(
    entries
      .flatMap((stored) => listIn(recordOf(stored), 'records'))
      .map((record) => fieldsOf(record, 'records'))
      .reduce(addRecord, noJournal),
  );
harden(readJournal);

/** @throws Error that says what is wrong with it */
export const readOpen = (messageId: string, stored: unknown): StoredOpen => {
  const fields = recordOf(stored);
  const kind = textIn(fields, 'kind');
  if (kind !== 'proposal' && kind !== 'request') {
    throw Error('it is neither a proposal nor a request');
  }
  return harden({
    messageId,
    number: numberIn(fields, 'number'),
    kind,
    askedBy: textOrNullIn(fields, 'askedBy'),
    tip: textOrNullIn(fields, 'tip'),
    asked: textIn(fields, 'asked'),
  });
};
harden(readOpen);
