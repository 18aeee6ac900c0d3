/** Waiting for something to become so, looked at whenever something happens. */
export type News = {
  readonly happened: () => void;
  /** @throws Error with these words when it does not become so in that time */
  readonly until: (
    isSo: () => boolean,
    describe: () => string,
    limitMs?: number,
  ) => Promise<void>;
};

export const LONGEST_WAIT_MS = 60_000;

export const makeNews = (): News => {
  const waiting = new Set<() => void>();
  let isDue = false;
  return {
    happened: () => {
      if (isDue) return;
      isDue = true;
      // What happens at once is looked at once.
      setImmediate(() => {
        isDue = false;
        for (const look of waiting) look();
      });
    },
    until: (isSo, describe, limitMs = LONGEST_WAIT_MS) =>
      new Promise((resolve, reject) => {
        const tooLate = setTimeout(() => {
          waiting.delete(look);
          reject(Error(describe()));
        }, limitMs);
        const look = (): void => {
          if (!isSo()) return;
          clearTimeout(tooLate);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
};
