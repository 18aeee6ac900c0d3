import type { ChatMessage } from '../model/chat.ts';
import type { TranscriptNode, TranscriptStore } from './store.ts';

/** From the root of a conversation to one of its nodes, pointers left out. */
export type Chain = readonly TranscriptNode[];

/**
 * A known node whose ancestor is gone. A shorter transcript would be a silent
 * lie, so this is told to the sender.
 */
export class BrokenChainError extends Error {
  readonly missing: string;

  constructor(missing: string) {
    super(
      `The earlier part of this conversation (message ${missing}) is missing`,
    );
    this.name = 'BrokenChainError';
    this.missing = missing;
  }
}
harden(BrokenChainError);

/**
 * Walk from `leafId` to the root.
 *
 * @returns nodes in root-to-leaf order
 * @throws BrokenChainError when an ancestor is not in the store
 */
export const loadChain = async (
  store: TranscriptStore,
  leafId: string | null,
): Promise<Chain> => {
  const nodes: TranscriptNode[] = [];
  for (let next = leafId; next !== null;) {
    const node = await store.get(next);
    if (node === undefined) throw new BrokenChainError(next);
    if (node.messages.length > 0) nodes.push(node);
    next = node.parentMessageId;
  }
  return harden(nodes.reverse());
};
harden(loadChain);

/** The messages of a chain, for the model; the running prompt goes before. */
export const chainMessages = (chain: Chain): readonly ChatMessage[] =>
  chain.flatMap((node) => node.messages);
harden(chainMessages);
