/** Runs one after another, in the order of the calls. What fails stops no other. */
export const makeQueue = (): (<T>(run: () => Promise<T>) => Promise<T>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const result = last.then(run, run);
    last = result;
    return result;
  };
};
harden(makeQueue);
