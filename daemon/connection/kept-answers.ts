/**
 * The answers that CapTP keeps for a peer's questions until the peer drops
 * them. A peer that drops none must not fill our memory: beyond the limits the
 * oldest answers that were returned are let go. The peer has them by then, and
 * only calls that it sent ahead of an answer still name it.
 */
export type KeptAnswers = {
  readonly ask: (question: string) => void;
  /** The answer went out, in a message of this many bytes. */
  readonly settle: (question: string, bytes: number) => void;
  readonly drop: (question: string) => void;
  readonly has: (question: string) => boolean;
  readonly countPending: () => number;
  readonly countReturned: () => number;
};

export const makeKeptAnswers = ({
  maxReturned,
  maxReturnedBytes,
  onLetGo,
}: {
  readonly maxReturned: number;
  readonly maxReturnedBytes: number;
  readonly onLetGo: (question: string) => void;
}): KeptAnswers => {
  const pending = new Set<string>();
  // In the order of their return.
  const returned = new Map<string, number>();
  let returnedBytes = 0;

  const drop = (question: string): void => {
    pending.delete(question);
    returnedBytes -= returned.get(question) ?? 0;
    returned.delete(question);
  };

  const isOver = (): boolean =>
    returned.size > maxReturned ||
    (returnedBytes > maxReturnedBytes && returned.size > 1);

  const settle = (question: string, bytes: number): void => {
    if (!pending.delete(question)) {
      // Dropped before it was answered: nobody will drop it again.
      onLetGo(question);
      return;
    }
    returned.set(question, bytes);
    returnedBytes += bytes;
    for (const oldest of returned.keys()) {
      if (!isOver()) return;
      drop(oldest);
      onLetGo(oldest);
    }
  };

  return harden({
    ask: (question: string) => {
      pending.add(question);
    },
    settle,
    drop,
    has: (question: string) => pending.has(question) || returned.has(question),
    countPending: () => pending.size,
    countReturned: () => returned.size,
  });
};
harden(makeKeptAnswers);
