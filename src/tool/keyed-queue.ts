/** Runs what has the same key one after the other, and the rest side by side. */
export type KeyedQueue = <T>(key: string, run: () => Promise<T>) => Promise<T>;

export const makeKeyedQueue = (): KeyedQueue => {
  const last = new Map<string, Promise<void>>();
  const queue: KeyedQueue = (key, run) => {
    const result = (last.get(key) ?? Promise.resolve()).then(run);
    const done = result.then(
      () => undefined,
      // Whoever asked is told; the next in line goes on.
      () => undefined,
    );
    last.set(key, done);
    void done.then(() => {
      if (last.get(key) === done) last.delete(key);
    });
    return result;
  };
  return harden(queue);
};
harden(makeKeyedQueue);
