import type { Directory } from '../endo/guest.ts';
import { makeByteCache } from './byte-cache.ts';
import { BrokenChainError } from './chain.ts';
import { nodeName } from './names.ts';
import { nodeRecord, parseNode, type TranscriptNode } from './node.ts';

/** Where conversations are kept. A node, once put, never changes. */
export type TranscriptStore = {
  /**
   * Contract: asks the daemon only for a node that is there.
   *
   * @throws BrokenChainError when it cannot be read
   */
  readonly get: (messageId: string) => Promise<TranscriptNode | undefined>;
  readonly has: (messageId: string) => boolean;
  /** Resolves when it is durable. Rejects when the node is there already. */
  readonly put: (node: TranscriptNode) => Promise<void>;
};

export type TranscriptStorePowers = {
  readonly directory: Pick<Directory, 'lookup' | 'storeValue'>;
  /** `messageId`s of the nodes that are stored. */
  readonly present: ReadonlySet<string>;
  /** Of the nodes that are kept in memory (`LAL_CACHE_BYTES`). */
  readonly cacheBytes: number;
};

const CHARACTER_BYTES = 2;
/** Objects, keys and map entries of a node, beside its texts. */
const OVERHEAD_BYTES = 500;

const sizeOf = (node: TranscriptNode): number =>
  OVERHEAD_BYTES + JSON.stringify(node.messages).length * CHARACTER_BYTES;

const read = (
  name: string,
  messageId: string,
  stored: unknown,
): TranscriptNode => {
  try {
    const node = parseNode(name, stored);
    if (node.messageId === messageId) return node;
    throw Error(
      `The record ${name} is of another message, ${node.messageId}; it was renamed or copied`,
    );
  } catch (cause) {
    throw new BrokenChainError(messageId, cause);
  }
};

/**
 * Nodes in the guest's own directory, the source of truth, behind a cache that
 * is bounded in bytes: idle conversations cost a name each.
 */
export const makeTranscriptStore = ({
  directory,
  present,
  cacheBytes,
}: TranscriptStorePowers): TranscriptStore => {
  const stored = new Set(present);
  const cache = makeByteCache<TranscriptNode>(cacheBytes, sizeOf);
  const loading = new Map<string, Promise<TranscriptNode>>();

  const load = async (messageId: string): Promise<TranscriptNode> => {
    const name = nodeName(messageId);
    const node = read(name, messageId, await directory.lookup([name]));
    cache.set(messageId, node);
    return node;
  };

  return harden({
    has: (messageId: string) => stored.has(messageId),
    get: async (messageId: string) => {
      if (!stored.has(messageId)) return undefined;
      const cached = cache.get(messageId);
      if (cached !== undefined) return cached;
      const present = loading.get(messageId);
      if (present !== undefined) return present;
      const loaded = load(messageId).finally(() => loading.delete(messageId));
      loading.set(messageId, loaded);
      return loaded;
    },
    put: async (node: TranscriptNode) => {
      const { messageId } = node;
      if (stored.has(messageId)) {
        throw Error(
          `The transcript node ${messageId} is settled and stays as it is`,
        );
      }
      await directory.storeValue(nodeRecord(node), [nodeName(messageId)]);
      stored.add(messageId);
      cache.set(messageId, harden(node));
    },
  });
};
harden(makeTranscriptStore);
