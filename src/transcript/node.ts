import { M, mustMatch } from '@endo/patterns';
import type { ChatMessage, Usage } from '../model/chat.ts';
import {
  FORMAT,
  MessageIdShape,
  MessagesShape,
  TextShape,
  UsageShape,
} from './shapes.ts';

/** Mail sent on a correspondent's behalf: who answers it is told what he answers. */
export type SentText = {
  /** Handle id of the recipient. */
  readonly to: string;
  /** Its text, as one JSON string. */
  readonly text: string;
};

/**
 * One step of a conversation: what was appended to its parent. A settled node
 * never changes, since other nodes hang on it.
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
  /** Where the conversation began; the same in all of its branches. */
  readonly rootMessageId: string;
  /** Turns of the chain up to here, this node's included. */
  readonly turns: number;
  /** Automatic answers in the chain up to here, this node's included. */
  readonly exchanges: number;
  /**
   * Outcomes of requests to others that have been told in a row up to here,
   * since the correspondent last wrote.
   */
  readonly unattended: number;
  /** This turn ended in an error notice and none of the chain's since. */
  readonly failed: boolean;
  /** Of a pointer: what was written to somebody else than the correspondent. */
  readonly sent?: SentText;
  /** Number of the message in the inbox, for `reply`. */
  readonly lastInboxNumber?: bigint;
  /** Which prompt the turn ran with, for the record. */
  readonly promptHash?: string;
  /** What the model's calls of this turn cost together. */
  readonly usage?: Usage;
};

const NodeShape = M.splitRecord(
  {
    version: FORMAT,
    messageId: MessageIdShape,
    parentMessageId: M.or(MessageIdShape, null),
    messages: MessagesShape,
    correspondent: MessageIdShape,
    rootMessageId: MessageIdShape,
    turns: M.number(),
    exchanges: M.number(),
    unattended: M.number(),
    failed: M.boolean(),
  },
  {
    sent: M.splitRecord({ to: MessageIdShape, text: TextShape }, {}, {}),
    lastInboxNumber: M.nat(),
    promptHash: TextShape,
    usage: UsageShape,
  },
  {},
);

/** A node as it is stored. */
export const nodeRecord = (node: TranscriptNode): unknown =>
  harden({ version: FORMAT, ...node });
harden(nodeRecord);

/**
 * @throws Error when what is stored under the name is no node of a format that
 *   this version reads
 */
export const parseNode = (name: string, stored: unknown): TranscriptNode => {
  mustMatch(harden(stored), NodeShape, name);
  const fields = Object.entries(stored as TranscriptNode);
  const known = fields.filter(([key]) => key !== 'version');
  return harden(Object.fromEntries(known) as unknown as TranscriptNode);
};
harden(parseNode);

type Pointed = Pick<TranscriptNode, 'correspondent'> & {
  readonly messageId: string | null;
};

/**
 * A message that stands for another one's node: an outbound one for the turn
 * that sent it.
 *
 * @param node - `messageId` is null for a message that got no turn and begins
 *   a conversation
 */
export const pointerTo = (
  node: Pointed,
  messageId: string,
  sent?: SentText,
): TranscriptNode =>
  harden({
    messageId,
    parentMessageId: node.messageId,
    messages: [],
    correspondent: node.correspondent,
    rootMessageId: node.messageId ?? messageId,
    turns: 0,
    exchanges: 0,
    unattended: 0,
    failed: false,
    ...(sent === undefined ? {} : { sent }),
  });
harden(pointerTo);

export const isPointer = (node: TranscriptNode): boolean =>
  node.messages.length === 0;
harden(isPointer);
