import type { Mail } from '../endo/guest.ts';
import type { MessageRef } from '../proposal/open-record.ts';
import type { Ledger } from './ledger.ts';

/** What a turn is about: a message, or what became of something asked. */
export type Occasion = {
  /** Of the node that the turn becomes. */
  readonly nodeId: string;
  /** Another message that this turn answers: replies to it go on from here. */
  readonly alias?: string;
  /** Of the message, or of the own proposal or request. */
  readonly number: bigint;
  /** Handle id of whom the turn serves. */
  readonly correspondent: string;
  /** What the model reads. */
  readonly text: string;
  /** Lines that go before it: what it answers, what else happened. */
  readonly preface: readonly string[];
  /** The message that the closing reply answers; `undefined` when it is gone. */
  readonly answering: Mail | undefined;
  /** The same message, whether it is there or not; `null` when none is known. */
  readonly answers: MessageRef | null;
  /** What this turn does to the count of outcomes told in a row. */
  readonly unattended: 'none' | 'same' | 'one-more';
  /**
   * Called when the turn has become a node: put away what it was about.
   * Contract: never rejects.
   */
  readonly putAway: (ledger: Ledger) => Promise<void>;
};
