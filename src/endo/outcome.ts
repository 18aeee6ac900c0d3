import type { AskOutcome, AskState } from './guest.ts';

const COUNTERED = /^countered by message ([0-9a-f]{64})$/u;
const FAILED = /^granted, but the code failed: /u;
const LOST = /^lost: the daemon was stopped while /u;

/**
 * What a rejection means: by what the daemon keeps of it, else by its words.
 * On Endo's daemon of generation A a proposal that is rejected was granted, and
 * its code threw: nobody can reject one there.
 *
 * @param state - `undefined` on a daemon that keeps none; `open` when the copy
 *   is gone that told it
 */
export const outcomeOfRejection = (
  kind: 'proposal' | 'request',
  reason: string,
  {
    state,
    counteredBy,
  }: {
    readonly state: AskState | undefined;
    readonly counteredBy?: string | undefined;
  },
): AskOutcome => {
  if (kind === 'request') return { type: 'rejected', reason };
  // What the daemon keeps is believed before any words: code can throw these.
  const words = state === 'open' ? COUNTERED.exec(reason)?.[1] : undefined;
  const by =
    state === 'countered'
      ? (counteredBy ?? COUNTERED.exec(reason)?.[1])
      : words;
  if (by !== undefined) return { type: 'countered', by };
  if (state === 'lost' || (state === 'open' && LOST.test(reason))) {
    return { type: 'lost', reason };
  }
  if (state === undefined || state === 'failed' || FAILED.test(reason)) {
    return { type: 'failed', error: reason.replace(FAILED, '') };
  }
  return { type: 'rejected', reason };
};
harden(outcomeOfRejection);
