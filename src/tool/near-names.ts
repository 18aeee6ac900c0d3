/** Edits between two words: letters added, removed or changed. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(from).entries()) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j += 1) {
      next.push(
        Math.min(
          (row[j] ?? 0) + (letter === to[j] ? 0 : 1),
          (row[j + 1] ?? 0) + 1,
          (next[j] ?? 0) + 1,
        ),
      );
    }
    row = next;
  }
  return row[to.length] ?? 0;
};

const plain = (name: string): string =>
  name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** At most three of the names that a misspelt one may have meant, best first. */
export const nearNames = (
  wanted: string,
  names: readonly string[],
): readonly string[] => {
  const word = plain(wanted.slice(0, 80));
  const cost = (name: string): number => {
    const other = plain(name);
    const holds =
      word.length > 2 && (other.includes(word) || word.includes(other));
    const edits = distance(word, other);
    return holds ? Math.min(edits, 1) : edits;
  };
  return names
    .map((name) => ({ name, cost: cost(name) }))
    .filter(({ cost: edits }) => edits <= 2)
    .sort((left, right) => left.cost - right.cost)
    .slice(0, 3)
    .map(({ name }) => name);
};
harden(nearNames);
