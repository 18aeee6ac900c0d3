/** What went wrong, in words: a daemon may reject with anything. */
export const reasonText = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason);
harden(reasonText);
