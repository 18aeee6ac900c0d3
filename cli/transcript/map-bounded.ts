/** Like `Promise.all` of a `map`, with at most so many under way. */
export const mapBounded = async <T, R>(
  items: readonly T[],
  most: number,
  map: (item: T) => Promise<R>,
): Promise<readonly R[]> => {
  const results: R[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let at = next; at < items.length; at = next) {
      next += 1;
      results[at] = await map(items[at] as T);
    }
  };
  await Promise.all(Array.from({ length: most }, work));
  return results;
};
harden(mapBounded);
