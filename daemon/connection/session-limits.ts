/** What one peer can make us keep. Beyond these the connection ends. */
export type SessionLimits = {
  /** Calls of the peer that are not answered yet. */
  readonly maxPendingCalls: number;
  /** Our objects and promises that the peer was given and has not dropped. */
  readonly maxExports: number;
  /** Promises that the peer has sent and not settled. */
  readonly maxUnsettled: number;
  /** Answers kept for a peer that never drops them; the oldest are let go. */
  readonly maxAnswers: number;
  readonly maxAnswerBytes: number;
};

export const defaultLimits: SessionLimits = harden({
  maxPendingCalls: 100_000,
  maxExports: 200_000,
  maxUnsettled: 100_000,
  maxAnswers: 10_000,
  maxAnswerBytes: 16 * 1024 * 1024,
});
harden(defaultLimits);
