import { isPointer, type TranscriptNode } from './node.ts';
import type { Summary } from './assembly.ts';

/** From the root of a conversation to one of its nodes, pointers left out. */
export type Chain = readonly TranscriptNode[];

/**
 * A known node whose ancestor is gone, or cannot be read. A shorter transcript
 * would be a silent lie, so this is told to the sender.
 */
export class BrokenChainError extends Error {
  readonly missing: string;

  /** @param cause - why it cannot be read, when it is there */
  constructor(missing: string, cause?: unknown) {
    super(
      `The earlier part of this conversation (message ${missing}) ` +
        (cause instanceof Error
          ? `cannot be read: ${cause.message}`
          : 'is missing'),
      cause === undefined ? {} : { cause },
    );
    this.name = 'BrokenChainError';
    this.missing = missing;
  }
}
harden(BrokenChainError);

/** What the walk stops at: the end of a chain, or a summary of its beginning. */
export type Walk = {
  readonly nodes: Chain;
  readonly summary?: Summary;
};

export type WalkPowers = {
  readonly get: (messageId: string) => Promise<TranscriptNode | undefined>;
  readonly summaryOf: (messageId: string) => Promise<Summary | undefined>;
};

/**
 * Walk from `leafId` towards the root, as far as the nearest summary.
 *
 * @returns nodes in root-to-leaf order
 * @throws BrokenChainError when an ancestor is not in the store
 */
export const walkChain = async (
  { get, summaryOf }: WalkPowers,
  leafId: string | null,
): Promise<Walk> => {
  const nodes: TranscriptNode[] = [];
  for (let next = leafId; next !== null;) {
    const summary = await summaryOf(next);
    if (summary !== undefined) {
      return harden({ nodes: nodes.reverse(), summary });
    }
    const node = await get(next);
    if (node === undefined) throw new BrokenChainError(next);
    if (!isPointer(node)) nodes.push(node);
    next = node.parentMessageId;
  }
  return harden({ nodes: nodes.reverse() });
};
harden(walkChain);
