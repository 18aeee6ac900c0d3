import type { Guest } from '../../src/endo/guest.ts';
import { nodeName, sortNames } from '../../src/transcript/names.ts';
import { type TranscriptNode, parseNode } from '../../src/transcript/node.ts';

/** A node, and all of its record as one text. */
export type StoredNode = {
  readonly node: TranscriptNode;
  readonly text: string;
};

const asText = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? `${each}n` : each,
  );

/** What a guest's directory keeps of its conversations, by message. */
export const storedNodes = async (
  guest: Guest,
): Promise<ReadonlyMap<string, StoredNode>> => {
  const { nodes } = sortNames(await guest.list([]));
  const entries = await Promise.all(
    [...nodes].map(async (messageId) => {
      const name = nodeName(messageId);
      const stored = await guest.lookup([name]);
      const node = { node: parseNode(name, stored), text: asText(stored) };
      return [messageId, node] as const;
    }),
  );
  return new Map(entries);
};
