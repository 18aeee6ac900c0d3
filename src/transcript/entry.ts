import { M, mustMatch } from '@endo/patterns';
import type { Intent } from '../endo/intent.ts';
import type { AssistantMessage, StopReason, Usage } from '../model/chat.ts';
import {
  AssistantShape,
  FORMAT,
  ListShape,
  MessageIdShape,
  TextShape,
  UsageShape,
} from './shapes.ts';

/** An own message, as far as it must be found again. */
export type SentRef = { readonly messageId: string; readonly number: bigint };

/** A proposal with its source, or a request, that is not decided yet. */
export type AskedRef =
  | {
      readonly kind: 'proposal';
      readonly number: bigint;
      readonly source: string;
    }
  | { readonly kind: 'request'; readonly number: bigint };

/** What a tool call did besides giving a result, as far as the turn's end depends on it. */
export type CallFacts = {
  /** Own packages, to be put away when the turn is settled. */
  readonly sent: readonly SentRef[];
  /** Messages that left: whether each went to whom the turn serves. */
  readonly messaged: readonly boolean[];
  /** The model dismissed the message that is being answered. */
  readonly wishesSilence: boolean;
  /** Values that were adopted: message number and edge name. */
  readonly adopted: readonly (readonly [number: bigint, edgeName: string])[];
  readonly asked: readonly AskedRef[];
  /** Requests and counter-proposals of others that were decided, by number. */
  readonly decided: readonly bigint[];
};

/** What came of one call of a journaled answer. */
export type JournaledOutcome = {
  readonly callId: string;
  readonly content: string;
  readonly isError: boolean;
  readonly changes: boolean;
  readonly inDoubt: boolean;
  readonly facts: CallFacts;
};

/** What a turn is from its beginning on, whatever becomes of its message. */
export type TurnHead = {
  readonly type: 'begin';
  /** The exact message that it began with, preface included. */
  readonly opening: string;
  /** Handle id of whom it serves. */
  readonly correspondent: string;
  /** Of the message, or of the own proposal or request whose outcome it tells. */
  readonly number: bigint;
  /** The message that its reply answers. */
  readonly answers: SentRef | null;
  /** A counter-proposal, to which replies go on from this turn as well. */
  readonly alias?: string;
  readonly parentMessageId: string | null;
  /** The same, pointers left out. */
  readonly turnBefore: string | null;
  readonly rootMessageId: string;
  readonly turns: number;
  readonly exchanges: number;
  readonly unattended: number;
  /** The chain's last turn failed, and its sender was told. */
  readonly afterFailure: boolean;
};

export type AnswerRecord = {
  readonly type: 'answer';
  readonly message: AssistantMessage;
  /** Calls in its text that could not be read. */
  readonly problems: readonly string[];
  readonly stop: StopReason;
  readonly usage: Usage;
};

export type IntentRecord = {
  readonly type: 'intent';
  readonly intent: Intent;
  /** Where the result or the answer will be named, as `a/b`. */
  readonly resultName?: string;
};

export type NoticeRecord = {
  readonly type: 'notice';
  readonly text: string;
  readonly failed: boolean;
};

export type JournalRecord =
  | TurnHead
  /** A model answer, before its tools run. */
  | AnswerRecord
  /** A call that must not happen twice is about to run. */
  | {
      readonly type: 'start';
      readonly callId: string;
      /** Ids that tell afterwards whether it happened; '' where there was none. */
      readonly ids: readonly string[];
    }
  /** A message is about to leave. */
  | IntentRecord
  /** All outcomes of the newest answer, in the order of its calls. */
  | {
      readonly type: 'results';
      readonly outcomes: readonly JournaledOutcome[];
    }
  /** The end that was decided on, when it does not follow from the answers. */
  | NoticeRecord;

const TextsShape = ListShape(TextShape);

const SentShape = M.splitRecord(
  { messageId: MessageIdShape, number: M.nat() },
  {},
  {},
);

const AskedShape = M.or(
  M.splitRecord(
    { kind: 'proposal', number: M.nat(), source: TextShape },
    {},
    {},
  ),
  M.splitRecord({ kind: 'request', number: M.nat() }, {}, {}),
);

const FactsShape = M.splitRecord(
  {
    sent: ListShape(SentShape),
    messaged: ListShape(M.boolean()),
    wishesSilence: M.boolean(),
    adopted: ListShape(harden([M.nat(), TextShape])),
    asked: ListShape(AskedShape),
    decided: ListShape(M.nat()),
  },
  {},
  {},
);

const OutcomeShape = M.splitRecord(
  {
    callId: TextShape,
    content: TextShape,
    isError: M.boolean(),
    changes: M.boolean(),
    inDoubt: M.boolean(),
    facts: FactsShape,
  },
  {},
  {},
);

const IntentShape = M.splitRecord(
  {
    key: TextShape,
    type: M.or('package', 'request', 'proposal'),
    watermark: M.bigint(),
    strings: TextsShape,
    names: TextsShape,
    ids: TextsShape,
  },
  { to: MessageIdShape, replyTo: MessageIdShape },
  {},
);

const HeadShape = M.splitRecord(
  {
    type: 'begin',
    opening: TextShape,
    correspondent: MessageIdShape,
    number: M.nat(),
    answers: M.or(null, SentShape),
    parentMessageId: M.or(null, MessageIdShape),
    turnBefore: M.or(null, MessageIdShape),
    rootMessageId: MessageIdShape,
    turns: M.number(),
    exchanges: M.number(),
    unattended: M.number(),
    afterFailure: M.boolean(),
  },
  { alias: MessageIdShape },
  {},
);

const RecordShape = M.or(
  HeadShape,
  M.splitRecord(
    {
      type: 'answer',
      message: AssistantShape,
      problems: TextsShape,
      stop: M.or('end', 'tools', 'length', 'refusal'),
      usage: UsageShape,
    },
    {},
    {},
  ),
  M.splitRecord({ type: 'start', callId: TextShape, ids: TextsShape }, {}, {}),
  M.splitRecord(
    { type: 'intent', intent: IntentShape },
    { resultName: TextShape },
    {},
  ),
  M.splitRecord({ type: 'results', outcomes: ListShape(OutcomeShape) }, {}, {}),
  M.splitRecord(
    { type: 'notice', text: TextShape, failed: M.boolean() },
    {},
    {},
  ),
);

const EntryShape = M.splitRecord(
  { version: FORMAT, records: ListShape(RecordShape) },
  {},
  {},
);

/** Records of one write, as they are stored. */
export const entryRecord = (records: readonly JournalRecord[]): unknown =>
  harden({ version: FORMAT, records: [...records] });
harden(entryRecord);

/** @throws Error when what is stored under the name is no entry of this format */
export const parseEntry = (
  name: string,
  stored: unknown,
): readonly JournalRecord[] => {
  mustMatch(harden(stored), EntryShape, name);
  return harden((stored as { records: JournalRecord[] }).records);
};
harden(parseEntry);
