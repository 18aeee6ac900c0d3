/** What every provider takes as the name of a function. */
const LONGEST = 64;

/** Names that look alike to a model are alike. */
const plain = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]/gu, '');

/**
 * A function name that is valid and like none of those that are taken: the
 * wanted one, as far as possible.
 */
export const makeFunctionName = (
  wanted: string,
  taken: readonly string[],
): string => {
  const isTaken = new Set(taken.map(plain));
  const base =
    wanted
      .normalize('NFKC')
      .trim()
      .replace(/[^a-zA-Z0-9_-]+/gu, '_')
      .slice(0, LONGEST) || 'tool';
  const named = /[a-zA-Z0-9]/u.test(base) ? base : 'tool';
  let name = named;
  for (let count = 2; isTaken.has(plain(name)); count += 1) {
    const suffix = `-${count}`;
    name = `${named.slice(0, LONGEST - suffix.length)}${suffix}`;
  }
  return name;
};
harden(makeFunctionName);
