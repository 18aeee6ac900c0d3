import type { ChatMessage, Usage } from '../model/chat.ts';
import { addUsage, noUsage } from '../model/usage.ts';
import type {
  AnswerRecord,
  IntentRecord,
  JournaledOutcome,
  JournalRecord,
  NoticeRecord,
  TurnHead,
} from './entry.ts';
import { repairCalls } from './repair.ts';

/** One journaled answer of the model, with what came of it. */
export type RecordedStep = {
  readonly answer: AnswerRecord;
  /** Ids that were noted before a call ran, by call id. */
  readonly starts: ReadonlyMap<string, readonly string[]>;
  /** What was about to leave, by call id: the newest of each. */
  readonly intents: ReadonlyMap<string, IntentRecord>;
  readonly results?: readonly JournaledOutcome[];
};

/** A turn as far as its journal tells it. */
export type RecordedTurn = {
  readonly head?: TurnHead;
  readonly steps: readonly RecordedStep[];
  readonly notice?: NoticeRecord;
  /** The newest intent of a closing reply. */
  readonly closing?: IntentRecord;
};

/** Key of the intent of a closing reply; no call has it. */
export const CLOSING = 'closing';
harden(CLOSING);

export const nothingRecorded: RecordedTurn = harden({ steps: [] });
harden(nothingRecorded);

type Draft = {
  readonly answer: AnswerRecord;
  readonly starts: Map<string, readonly string[]>;
  readonly intents: Map<string, IntentRecord>;
  results?: readonly JournaledOutcome[];
};

export const foldRecords = (
  records: readonly JournalRecord[],
): RecordedTurn => {
  const steps: Draft[] = [];
  const rest: {
    head?: TurnHead;
    notice?: NoticeRecord;
    closing?: IntentRecord;
  } = {};
  for (const record of records) {
    const step = steps.at(-1);
    switch (record.type) {
      case 'begin':
        rest.head = record;
        break;
      case 'answer':
        steps.push({ answer: record, starts: new Map(), intents: new Map() });
        break;
      case 'start':
        step?.starts.set(record.callId, record.ids);
        break;
      case 'intent':
        if (record.intent.key === CLOSING) rest.closing = record;
        else step?.intents.set(record.intent.key, record);
        break;
      case 'results':
        if (step !== undefined) step.results = record.outcomes;
        break;
      case 'notice':
        rest.notice = record;
        break;
    }
  }
  return Object.freeze({ ...rest, steps });
};
harden(foldRecords);

const stepMessages = ({ answer, results }: RecordedStep): ChatMessage[] => [
  answer.message,
  ...(results ?? []).map(({ callId, content, isError }): ChatMessage => ({
    role: 'tool',
    callId,
    content,
    isError,
  })),
];

/** What a turn has said and done, without going on with it. */
export const recordedMessages = (
  past: RecordedTurn,
): readonly ChatMessage[] => {
  const { head, steps, notice } = past;
  const opening = head?.opening;
  return harden(
    repairCalls([
      ...(opening === undefined
        ? []
        : [{ role: 'user', content: opening } as const]),
      ...steps.flatMap(stepMessages),
      ...(notice === undefined
        ? []
        : [
            { role: 'assistant', content: notice.text, toolCalls: [] } as const,
          ]),
    ]),
  );
};
harden(recordedMessages);

export const recordedUsage = ({ steps }: RecordedTurn): Usage =>
  steps.reduce((sum, { answer }) => addUsage(sum, answer.usage), noUsage);
harden(recordedUsage);
