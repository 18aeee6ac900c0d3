import type { Correspondents } from '../endo/correspondent.ts';
import type { TranscriptNode, TranscriptStore } from '../transcript/store.ts';
import { boundText } from '../tool/render.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import type { Ledger } from './ledger.ts';
import type { Occasion } from './occasion.ts';
import type { TurnRef } from './outbound.ts';
import { type Post, textParcel } from './post.ts';
import type { TurnEnd, TurnResult } from './turn-plan.ts';

/** What a turn continues, as far as its node has to say so. */
export type Lineage = {
  readonly parentId: string | null;
  /** The same, pointers left out: the turn before this one. */
  readonly turnBefore: string | null;
  readonly exchanges: number;
  /** Outcomes of requests that were told in a row, without a word between. */
  readonly unattended: number;
  /** The chain's last turn failed, and its sender was told. */
  readonly failed: boolean;
};

export type SettlingPowers = {
  readonly post: Post;
  readonly correspondents: Correspondents;
  readonly store: TranscriptStore;
  /** The HOST is told of every failure; anyone else of the first in a chain. */
  readonly isTrusted: boolean;
  readonly onEvent: OnAgentEvent;
};

/** Bytes of a closing reply: a text of Endo's daemon has 100,000 characters. */
const LONGEST_REPLY = 96_000;

const closingText = (
  end: TurnEnd,
  { failed }: Lineage,
  isTrusted: boolean,
): string | undefined => {
  if (end.type === 'text') return end.text;
  if (end.type !== 'notice') return undefined;
  // No mail loops: one error reply a chain, until a turn succeeds.
  return end.failed && failed && !isTrusted ? undefined : end.text;
};

const outcomeOf = (end: TurnEnd): SettledOutcome => {
  if (end.type === 'notice') return end.failed ? 'failed' : 'answered';
  return end.type === 'silent' ? 'silent' : 'answered';
};

/** What the count of outcomes in a row is with this turn. */
const unattendedAfter = (
  { unattended }: Occasion,
  lineage: Lineage,
): number => {
  if (unattended === 'none') return 0;
  return lineage.unattended + (unattended === 'one-more' ? 1 : 0);
};

const sendAnew = async (
  { post, correspondents }: SettlingPowers,
  text: string,
  turn: TurnRef,
): Promise<void> => {
  const { correspondent } = turn;
  const name = correspondents.isHost(correspondent)
    ? 'HOST'
    : await correspondents.petName(correspondent);
  if (name === undefined) {
    throw Error('The correspondent has no name here, and cannot be written to');
  }
  await post.send([name], textParcel(text), turn);
};

/** In the thread; as new mail when the message that was answered is gone. */
const say = async (
  powers: SettlingPowers,
  { answering, nodeId, correspondent }: Occasion,
  text: string,
): Promise<void> => {
  const turn = { messageId: nodeId, correspondent };
  if (answering === undefined) {
    await sendAnew(powers, text, turn);
    return;
  }
  try {
    await powers.post.reply(answering, textParcel(text), turn);
  } catch (cause) {
    const isOwn = answering.messageId === nodeId;
    // Of the message itself that is the sender's doing; what is told of an
    // outcome must reach him all the same.
    if (isOwn) throw cause;
    powers.onEvent({
      type: 'trouble',
      during: `replying to message ${answering.number}`,
      cause,
    });
    await sendAnew(powers, text, turn);
  }
};

/**
 * End a turn: closing reply, node, and what it was about put away, in this
 * order, so that what a crash interrupts is done again and never forgotten.
 *
 * @param prolong - called when the turn has become a node
 */
export const settleTurn = async (
  powers: SettlingPowers,
  occasion: Occasion,
  result: TurnResult,
  ledger: Ledger,
  lineage: Lineage,
  prolong: (nodeId: string, turnBefore: string | null) => void,
): Promise<SettledOutcome> => {
  const { store, isTrusted } = powers;
  const { end } = result;
  const text = closingText(end, lineage, isTrusted);
  if (text !== undefined) {
    await say(powers, occasion, boundText(text, LONGEST_REPLY));
  }

  const node: TranscriptNode = {
    messageId: occasion.nodeId,
    parentMessageId: lineage.parentId,
    messages: result.messages,
    correspondent: occasion.correspondent,
    exchanges: lineage.exchanges + 1,
    unattended: unattendedAfter(occasion, lineage),
    failed: end.type === 'notice' && end.failed,
  };
  await store.put(harden(node));
  if (occasion.alias !== undefined) {
    const { alias: messageId, nodeId: parentMessageId } = occasion;
    await store.put({ ...node, messageId, parentMessageId, messages: [] });
  }
  prolong(node.messageId, lineage.turnBefore);
  await occasion.putAway(ledger);
  return outcomeOf(end);
};
harden(settleTurn);
