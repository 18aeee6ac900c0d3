import type { ChatMessage } from '../model/chat.ts';

/**
 * One step of a conversation: what was appended to its parent.
 * Source of the shape: the reply-chain specification, "Transcript Node".
 */
export type TranscriptNode = {
  /** Of the inbound message; of the outbound one for a pointer. */
  readonly messageId: string;
  /** The node this one continues; `null` for the root of a conversation. */
  readonly parentMessageId: string | null;
  /** Appended at this step only. Empty for a pointer. Never a system message. */
  readonly messages: readonly ChatMessage[];
  /** Handle id of the one this conversation is with. */
  readonly correspondent: string;
  /** Automatic answers in the chain up to here, this node's included. */
  readonly exchanges: number;
  /**
   * Outcomes of requests to others that have been told in a row up to here,
   * since the correspondent last wrote.
   */
  readonly unattended: number;
  /** This turn ended in an error notice and none of the chain's since. */
  readonly failed: boolean;
};

/** Where conversations are kept. A node, once put, never changes. */
export type TranscriptStore = {
  readonly get: (messageId: string) => Promise<TranscriptNode | undefined>;
  /** Rejects when the node is there already. */
  readonly put: (node: TranscriptNode) => Promise<void>;
};

/** Conversations for as long as the process lives. */
export const makeMemoryTranscriptStore = (): TranscriptStore => {
  const nodes = new Map<string, TranscriptNode>();
  return harden({
    get: (messageId: string) => Promise.resolve(nodes.get(messageId)),
    put: (node: TranscriptNode) => {
      if (nodes.has(node.messageId)) {
        return Promise.reject(
          Error(
            `The transcript node ${node.messageId} is settled and stays as it is`,
          ),
        );
      }
      nodes.set(node.messageId, harden(node));
      return Promise.resolve();
    },
  });
};
harden(makeMemoryTranscriptStore);
