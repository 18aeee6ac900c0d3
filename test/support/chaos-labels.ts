/**
 * Names for the calls of an agent that are the same in every run: the method,
 * the name that it is about with message ids replaced by their order, and how
 * many of these there were before.
 */
const ID = /[0-9a-f]{64}/gu;

const subjectOf = (method: string, args: readonly unknown[]): string => {
  const [first, second] = args;
  if (method === 'storeValue') return String(second);
  const isNamed = ['remove', 'move', 'lookup', 'has', 'list', 'identify'];
  return isNamed.includes(method) ? args.map(String).join(' ') : typeof first;
};

/** For one life of one agent. */
export const makeLabels = (): ((
  method: string,
  args: readonly unknown[],
) => string) => {
  const ids = new Map<string, string>();
  const counts = new Map<string, number>();
  return (method, args) => {
    const subject = subjectOf(method, args).replaceAll(ID, (id) => {
      const known = ids.get(id) ?? `#${ids.size + 1}`;
      ids.set(id, known);
      return known;
    });
    const bare = `${method} ${subject}`;
    const count = (counts.get(bare) ?? 0) + 1;
    counts.set(bare, count);
    return count === 1 ? bare : `${bare} (${count})`;
  };
};
