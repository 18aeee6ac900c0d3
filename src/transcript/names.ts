/**
 * The names of what is stored, in the guest's own directory.
 *
 * - `transcript-<messageId>`: a settled node, or a pointer
 * - `transcript-<messageId>-<k>`: the k-th entry of a turn that is not settled
 * - `summary-<messageId>`: the chain up to and including that node, in short
 */
const NODE = /^transcript-([0-9a-f]{64})$/u;
const ENTRY = /^transcript-([0-9a-f]{64})-(\d{1,6})$/u;
const SUMMARY = /^summary-([0-9a-f]{64})$/u;

export const nodeName = (messageId: string): string =>
  `transcript-${messageId}`;
harden(nodeName);

export const entryName = (messageId: string, index: number): string =>
  `transcript-${messageId}-${index}`;
harden(entryName);

export const summaryName = (messageId: string): string =>
  `summary-${messageId}`;
harden(summaryName);

/** What one listing of the directory says is stored. */
export type StoredNames = {
  readonly nodes: ReadonlySet<string>;
  readonly summaries: ReadonlySet<string>;
  /** messageId → indices of its entries, rising. */
  readonly entries: ReadonlyMap<string, readonly number[]>;
};

export const sortNames = (names: readonly string[]): StoredNames => {
  const nodes = new Set<string>();
  const summaries = new Set<string>();
  const entries = new Map<string, number[]>();
  for (const name of names) {
    const node = NODE.exec(name)?.[1];
    const summary = SUMMARY.exec(name)?.[1];
    const [, turn, index] = ENTRY.exec(name) ?? [];
    if (node !== undefined) nodes.add(node);
    if (summary !== undefined) summaries.add(summary);
    if (turn !== undefined) {
      entries.set(turn, [...(entries.get(turn) ?? []), Number(index)]);
    }
  }
  for (const indices of entries.values()) indices.sort((a, b) => a - b);
  return { nodes, summaries, entries };
};
harden(sortNames);
