import type { NamePath } from './guest.ts';

declare const admitted: unique symbol;

/** A path that has passed the gate. Only the gate makes one. */
export type AdmittedPath = NamePath & { readonly [admitted]: true };

/**
 * The one gate for names that come from a model. It refuses bookkeeping by
 * name and the agent's own inner objects by identity, whatever they are called.
 */
export type NameGate = {
  /** A pet name, a path, or `a/b/c`. Rejects with the reason in words. */
  readonly admit: (nameOrPath: unknown) => Promise<AdmittedPath>;
  /** Whether `list` leaves this name out. */
  readonly isHidden: (name: string) => boolean;
};
