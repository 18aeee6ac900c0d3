import { M, matches } from '@endo/patterns';
import type { Directory } from '../endo/guest.ts';
import type { Summary } from './assembly.ts';
import { makeByteCache } from './byte-cache.ts';
import { summaryName } from './names.ts';
import { FORMAT, MessageIdShape, TextShape } from './shapes.ts';

/**
 * Summaries are side records: the chain that they sum up stays as it is, and
 * every branch through their node uses them.
 */
export type SummaryStore = {
  /** `undefined` also for a record that cannot be read: the chain is there. */
  readonly get: (nodeId: string) => Promise<Summary | undefined>;
  /**
   * Resolves, when it is durable, to the summary that holds: a node has one,
   * and the first stays, so that what a model is shown does not change.
   */
  readonly put: (summary: Summary) => Promise<Summary>;
};

const SummaryShape = M.splitRecord(
  {
    version: FORMAT,
    nodeId: MessageIdShape,
    text: TextShape,
    turns: M.number(),
  },
  {},
  {},
);

const parseSummary = (nodeId: string, stored: unknown): Summary | undefined => {
  if (!matches(harden(stored), SummaryShape)) return undefined;
  const { text, turns, ...record } = stored as Summary;
  // A record that was renamed or copied is of another chain.
  if (record.nodeId !== nodeId) return undefined;
  return harden({ nodeId, text, turns });
};

const CHARACTER_BYTES = 2;

/** @param present - `messageId`s of the nodes that have a summary */
export const makeSummaryStore = ({
  directory,
  present,
  cacheBytes,
}: {
  readonly directory: Pick<Directory, 'lookup' | 'storeValue'>;
  readonly present: ReadonlySet<string>;
  readonly cacheBytes: number;
}): SummaryStore => {
  const stored = new Set(present);
  const storing = new Map<string, Promise<Summary>>();
  const cache = makeByteCache<Summary>(
    cacheBytes,
    ({ text }) => text.length * CHARACTER_BYTES,
  );

  const get = async (nodeId: string): Promise<Summary | undefined> => {
    if (!stored.has(nodeId)) return undefined;
    const cached = cache.get(nodeId);
    if (cached !== undefined) return cached;
    const found = await directory.lookup([summaryName(nodeId)]);
    const summary = parseSummary(nodeId, found);
    if (summary === undefined) stored.delete(nodeId);
    else cache.set(nodeId, summary);
    return summary;
  };

  const store = async (summary: Summary): Promise<Summary> => {
    const { nodeId, text, turns } = summary;
    const before = await get(nodeId);
    if (before !== undefined) return before;
    const record = harden({ version: FORMAT, nodeId, text, turns });
    await directory.storeValue(record, [summaryName(nodeId)]);
    stored.add(nodeId);
    cache.set(nodeId, harden(summary));
    return summary;
  };

  return harden({
    get,
    put: (summary: Summary) => {
      const { nodeId } = summary;
      const first = storing.get(nodeId);
      if (first !== undefined) return first;
      const put = store(summary).finally(() => storing.delete(nodeId));
      storing.set(nodeId, put);
      return put;
    },
  });
};
harden(makeSummaryStore);
