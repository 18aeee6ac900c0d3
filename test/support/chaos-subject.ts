import type { Guest } from '../../src/endo/guest.ts';
import type { ChaosPoint } from './chaos-plan.ts';

/** What happens to one agent. */
export type Fate = {
  /** Where it stands still; nowhere without one. */
  readonly point?: ChaosPoint;
  /** Its proposal is granted; rejected otherwise. */
  readonly isGranted: boolean;
};

/** An agent, and what was seen of it. */
export type Subject = Fate & {
  readonly name: string;
  /** Handle id. */
  readonly id: string;
  /** Steps that the model was asked for, and in which life. */
  readonly asked: { readonly step: number; readonly life: number }[];
  /** Answers on record when each life began. */
  readonly journaled: number[];
};

/** At the end of its turn: its guest, and the names there. */
export type Ended = {
  readonly guest: Guest;
  readonly names: ReadonlySet<string>;
};
