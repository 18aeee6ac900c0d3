import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';
import type { FormulaId } from '../formula/formula.ts';

/** Wakes those who wait for a mailbox to change. Says nothing of what changed. */
export type MailSignals = {
  readonly changed: (handle: FormulaId) => Promise<void>;
  readonly notify: (handle: FormulaId) => void;
};

export const makeMailSignals = (): MailSignals => {
  const waiting = new Map<FormulaId, PromiseKit<undefined>>();
  return harden({
    changed: async (handle) => {
      const kit = waiting.get(handle) ?? makePromiseKit<undefined>();
      waiting.set(handle, kit);
      await kit.promise;
    },
    notify: (handle) => {
      const kit = waiting.get(handle);
      waiting.delete(handle);
      kit?.resolve(undefined);
    },
  });
};
harden(makeMailSignals);
