/** Something that takes its time: a turn, a decision, a listing. */
export type Work = () => Promise<void>;

/** What a conversation is busy with. */
export type Works = {
  /** After all that was added before. */
  readonly add: (work: Work) => void;
  /** At once, whatever else runs. */
  readonly beside: (work: Work) => void;
  /** Whether something added in order is not done. */
  readonly isBusy: () => boolean;
  /** Resolves when nothing is left to be done. */
  readonly idle: () => Promise<void>;
};

/**
 * Work in order, and work beside it.
 *
 * @param onFailed - hears of the first work that rejects; what is in the order
 *   after it is not begun
 */
export const makeWorks = (onFailed: (cause: unknown) => void): Works => {
  const inOrder = new Set<Promise<void>>();
  const beside = new Set<Promise<void>>();
  let last: Promise<void> = Promise.resolve();
  let failed = false;

  const keep = (where: Set<Promise<void>>, done: Promise<void>): void => {
    const kept = done
      .catch((cause: unknown) => {
        if (!failed) onFailed(cause);
        failed = true;
      })
      .finally(() => where.delete(kept));
    where.add(kept);
  };

  return harden({
    add: (work: Work) => {
      const done = last.then(() => (failed ? undefined : work()));
      last = done.catch(() => undefined);
      keep(inOrder, done);
    },
    beside: (work: Work) => keep(beside, work()),
    isBusy: () => inOrder.size > 0,
    idle: async () => {
      while (inOrder.size + beside.size > 0) {
        await Promise.all([...inOrder, ...beside]);
      }
    },
  });
};
harden(makeWorks);
