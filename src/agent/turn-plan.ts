import type {
  ChatAnswer,
  ChatMessage,
  ToolCall,
  ToolSchema,
  Usage,
} from '../model/chat.ts';
import type { ModelError } from '../model/model-error.ts';
import type { CallFacts } from '../transcript/entry.ts';
import type { RecordedStep } from '../transcript/recorded.ts';
import type { TurnContext } from './context.ts';
import type { Ledger } from './ledger.ts';
import type { TurnRecord } from './turn-record.ts';

/** What came of one tool call; `content` is what the model reads. */
export type CallOutcome = {
  readonly call: ToolCall;
  readonly content: string;
  readonly isError: boolean;
  /** The call may have changed something. */
  readonly changes: boolean;
  /** It timed out or was cancelled, and may have taken effect. */
  readonly inDoubt: boolean;
  readonly facts: CallFacts;
};

/** How a turn ended, before anything is sent. */
export type TurnEnd =
  /** To be sent as the closing reply. */
  | { readonly type: 'text'; readonly text: string }
  /** The correspondent has been written to, or silence is wished: send nothing. */
  | { readonly type: 'messaged' | 'silent' }
  /** To be sent as the closing reply, in Hob's own words. */
  | { readonly type: 'notice'; readonly text: string; readonly failed: boolean }
  /** The agent is stopping: nothing is sent, the message stays in the inbox. */
  | { readonly type: 'abandoned' };

export type TurnResult = {
  readonly end: TurnEnd;
  /** What the turn appends to its conversation, the opening message first. */
  readonly messages: readonly ChatMessage[];
  readonly usage: Usage;
};

export type TurnLimits = {
  /** Model calls. */
  readonly maxSteps: number;
  /** Input and output tokens of all model calls together. */
  readonly maxTokens: number;
};

export type TurnPlan = {
  /** The conversation so far, and the model that is asked to go on with it. */
  readonly context: TurnContext;
  /** What was said before: a call that stands there is quoted, not made. */
  readonly history: readonly ChatMessage[];
  readonly record: TurnRecord;
  /** The header and body of the message that this turn answers. */
  readonly opening: string;
  /** Asked before each model call, so that an adopted tool is there at once. */
  readonly schemas: () => readonly ToolSchema[];
  /**
   * Contract: never rejects; outcomes in the order of the calls.
   *
   * @param past - of an answer that an earlier incarnation began to act on
   */
  readonly runCalls: (
    calls: readonly ToolCall[],
    past: RecordedStep | undefined,
  ) => Promise<readonly CallOutcome[]>;
  /** What a call of an earlier incarnation did. */
  readonly recall: (facts: CallFacts) => void;
  readonly ledger: Ledger;
  readonly limits: TurnLimits;
  /** Aborted to end this turn: by the HOST, or because the agent stops. */
  readonly signal: AbortSignal;
  /** Whether the abort means that the agent itself is stopping. */
  readonly isStopping: () => boolean;
  readonly makeId: () => string;
  /** The HOST may be told what is wrong with its model; others may not. */
  readonly isTrusted: boolean;
  readonly onAnswer?: (answer: ChatAnswer, usage: Usage) => void;
  readonly onModelError?: (error: ModelError) => void;
  readonly onOutcome?: (outcome: CallOutcome) => void;
};
