const HEX = '[0-9a-f]{64}';
const NODE = new RegExp(`^transcript-(${HEX})$`, 'u');
const ENTRY = new RegExp(`^transcript-(${HEX})-(\\d{1,6})$`, 'u');
const SUMMARY = new RegExp(`^summary-(${HEX})$`, 'u');
const OPEN = /^hob-open-(.+)$/u;

/** What one listing of an agent's directory says is stored of its conversations. */
export type StoredNames = {
  /** messageId of each settled turn, and of each pointer to one. */
  readonly nodes: readonly string[];
  /** messageId → its entries, rising, for turns that are not settled. */
  readonly journals: ReadonlyMap<string, readonly number[]>;
  readonly summaries: ReadonlySet<string>;
  readonly open: readonly string[];
};

export const sortStoredNames = (names: readonly string[]): StoredNames => {
  const found = (pattern: RegExp): readonly string[] =>
    names.flatMap((name) => pattern.exec(name)?.[1] ?? []);
  const nodes = found(NODE);
  const settled = new Set(nodes);
  const journals = new Map<string, number[]>();
  for (const name of names) {
    const [, messageId = '', index] = ENTRY.exec(name) ?? [];
    // Entries beside a node are what a crash has left to be removed.
    if (index === undefined || settled.has(messageId)) continue;
    const indices = journals.get(messageId);
    if (indices === undefined) journals.set(messageId, [Number(index)]);
    else indices.push(Number(index));
  }
  for (const indices of journals.values()) indices.sort((a, b) => a - b);
  return {
    nodes,
    journals,
    summaries: new Set(found(SUMMARY)),
    open: found(OPEN),
  };
};
harden(sortStoredNames);
