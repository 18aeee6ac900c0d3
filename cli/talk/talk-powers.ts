import type { LineSource } from '../powers.ts';
import type { Session } from '../session.ts';
import type { Conversation } from './conversation.ts';
import type { Interrupts } from './interrupts.ts';
import type { TalkScreen } from './talk-screen.ts';
import type { TurnWatch } from './turn-watch.ts';

/** All that the parts of a conversation share. */
export type Talk = {
  readonly session: Session;
  readonly peerName: string;
  readonly lines: LineSource;
  readonly screen: TalkScreen;
  readonly conversation: Conversation;
  readonly watch: TurnWatch;
  readonly interrupts: Interrupts;
};

/** What a piece of work led to: go on, or leave with this exit code. */
export type Step = {
  readonly leave?: number;
  readonly failed?: boolean;
  /** A decision was made: the turn that hears of it comes next. */
  readonly decided?: string;
};

export const GO_ON: Step = harden({});
