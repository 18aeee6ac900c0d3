import type { ModelErrorKind } from '../model/model-error.ts';
import type { Usage } from '../model/chat.ts';

/** How a turn ended, as those who wait for it are told. */
export type SettledOutcome = 'answered' | 'silent' | 'failed' | 'waiting';

/**
 * What the agent tells its composition root. No event carries the text of a
 * message, a tool's arguments or a secret: all of them may be logged.
 */
export type AgentEvent =
  | { readonly type: 'started'; readonly incarnation: string }
  | { readonly type: 'stopped'; readonly reason: string }
  | { readonly type: 'lease-lost' }
  | { readonly type: 'turn-began'; readonly number: bigint }
  | {
      readonly type: 'model-answered';
      readonly number: bigint;
      readonly usage: Usage;
      readonly toolCalls: number;
    }
  | {
      readonly type: 'model-failed';
      readonly number: bigint;
      readonly kind: ModelErrorKind;
    }
  | {
      readonly type: 'tool-ran';
      readonly number: bigint;
      readonly tool: string;
      readonly ok: boolean;
    }
  /** A conversation did not fit the model, and was made shorter. */
  | {
      readonly type: 'summarised' | 'turns-left-out';
      readonly number: bigint;
      readonly turns: number;
    }
  | {
      readonly type: 'overflow';
      readonly number: bigint;
      /** By estimate. */
      readonly tokens: number;
    }
  | { readonly type: 'turn-resumed'; readonly number: bigint }
  | {
      readonly type: 'turn-settled';
      readonly number: bigint;
      readonly outcome: SettledOutcome;
    }
  | {
      readonly type: 'trouble';
      readonly during: string;
      readonly cause: unknown;
    };

export type OnAgentEvent = (event: AgentEvent) => void;
