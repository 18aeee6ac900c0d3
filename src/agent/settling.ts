import type { Correspondents } from '../endo/correspondent.ts';
import type { Guest } from '../endo/guest.ts';
import { UnseenCopyError } from '../endo/unseen-copy.ts';
import { depthOf, withDepth } from '../transcript/depth.ts';
import type { TurnHead } from '../transcript/entry.ts';
import { pointerTo, type TranscriptNode } from '../transcript/node.ts';
import { CLOSING } from '../transcript/recorded.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import { boundText } from '../tool/render.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import type { Ledger } from './ledger.ts';
import { troubleNotice } from './notice.ts';
import type { Occasion } from './occasion.ts';
import { type Post, textParcel } from './post.ts';
import { withClosing } from './turn.ts';
import type { TurnEnd, TurnResult } from './turn-plan.ts';
import type { TurnRecord } from './turn-record.ts';
import type { TurnSending } from './turn-sending.ts';

export type SettlingPowers = {
  readonly guest: Pick<Guest, 'dismiss' | 'listMessages'>;
  readonly post: Post;
  readonly correspondents: Correspondents;
  readonly store: TranscriptStore;
  /** Of the prompt that the turn ran with. */
  readonly promptHash: string;
  /** The HOST is told of every failure; anyone else of the first in a chain. */
  readonly isTrusted: boolean;
  readonly isStopped: () => boolean;
  /** The turn has become a node: resolves when the open lines know it. */
  readonly prolong: (
    nodeId: string,
    turnBefore: string | null,
  ) => Promise<void>;
  readonly onEvent: OnAgentEvent;
};

/** A turn that has come to its end. */
export type EndedTurn = {
  readonly occasion: Occasion;
  readonly head: TurnHead;
  readonly record: TurnRecord;
  readonly sending: TurnSending;
  readonly ledger: Ledger;
  readonly result: TurnResult;
};

/** Bytes of a closing reply: a text of Endo's daemon has 100,000 characters. */
const LONGEST_REPLY = 96_000;

const closingText = (
  end: TurnEnd,
  { afterFailure }: TurnHead,
  isTrusted: boolean,
): string | undefined => {
  if (end.type === 'text') return end.text;
  if (end.type !== 'notice') return undefined;
  // No mail loops: one error reply a chain, until a turn succeeds.
  return end.failed && afterFailure && !isTrusted ? undefined : end.text;
};

const outcomeOf = (end: TurnEnd): SettledOutcome => {
  if (end.type === 'notice') return end.failed ? 'failed' : 'answered';
  return end.type === 'silent' ? 'silent' : 'answered';
};

const sendAnew = async (
  { post, correspondents }: SettlingPowers,
  { occasion, sending }: EndedTurn,
  text: string,
): Promise<void> => {
  const { correspondent } = occasion;
  const name = correspondents.isHost(correspondent)
    ? 'HOST'
    : await correspondents.petName(correspondent);
  if (name === undefined) {
    throw Error('The correspondent has no name here, and cannot be written to');
  }
  await post.send([name], textParcel(text), sending.senderFor(CLOSING));
};

/** In the thread; as new mail when the message that was answered is gone. */
const say = async (
  powers: SettlingPowers,
  turn: EndedTurn,
  wholeText: string,
): Promise<void> => {
  const { answering, nodeId } = turn.occasion;
  const text = boundText(wholeText, LONGEST_REPLY);
  if (answering === undefined) {
    await sendAnew(powers, turn, text);
    return;
  }
  const parcel = textParcel(withDepth(text, depthOf(turn.head.turns)));
  try {
    const sender = turn.sending.senderFor(CLOSING);
    await powers.post.reply(answering, parcel, sender);
  } catch (cause) {
    const isOwn = answering.messageId === nodeId;
    // Of the message itself that is the sender's doing; what is told of an
    // outcome must reach him all the same.
    if (isOwn || cause instanceof UnseenCopyError) throw cause;
    powers.onEvent({
      type: 'trouble',
      during: `replying to message ${answering.number}`,
      cause,
    });
    await sendAnew(powers, turn, text);
  }
};

/** Somebody has put the message away: there is nothing left to reply to. */
const isGone = async (
  { guest }: SettlingPowers,
  { answering, nodeId }: Occasion,
): Promise<boolean> => {
  if (answering?.messageId !== nodeId) return false;
  const inbox = await guest.listMessages();
  return !inbox.some(({ messageId }) => messageId === nodeId);
};

/**
 * Say how the turn ended. What cannot be said is reported in its place; when
 * that cannot be said either, the turn is not over, unless nobody waits for it.
 *
 * @returns the end as it was told
 */
const sayEnd = async (
  powers: SettlingPowers,
  turn: EndedTurn,
): Promise<TurnResult> => {
  const { result, head, record, occasion } = turn;
  const { isTrusted, onEvent } = powers;
  const tell = async (end: TurnEnd): Promise<void> => {
    const text = closingText(end, head, isTrusted);
    if (text === undefined) return;
    if (end.type === 'notice' && end !== record.past.notice) record.hold(end);
    await say(powers, turn, text);
  };
  // The closing reply has left before a crash.
  if (record.traced(CLOSING) !== undefined) return result;
  try {
    await tell(result.end);
    return result;
  } catch (cause) {
    if (powers.isStopped() || cause instanceof UnseenCopyError) throw cause;
    const during = `message ${occasion.number}`;
    onEvent({ type: 'trouble', during, cause });
    const text = troubleNotice(isTrusted ? cause : undefined);
    const end = harden({ type: 'notice', text, failed: true } as const);
    try {
      await tell(end);
    } catch (second) {
      if (powers.isStopped() || !(await isGone(powers, occasion))) throw second;
    }
    const messages = harden(withClosing(result.messages, text));
    return harden({ ...result, end, messages });
  }
};

const nodeOf = (
  { promptHash }: SettlingPowers,
  { occasion, head }: EndedTurn,
  { end, messages, usage }: TurnResult,
): TranscriptNode =>
  harden({
    messageId: occasion.nodeId,
    parentMessageId: head.parentMessageId,
    messages,
    correspondent: head.correspondent,
    rootMessageId: head.rootMessageId,
    turns: head.turns,
    exchanges: head.exchanges,
    unattended: head.unattended,
    failed: end.type === 'notice' && end.failed,
    lastInboxNumber: head.number,
    promptHash,
    usage,
  });

/** Own copies, and what of others was decided: those that are still there. */
const putRestAway = async (
  { guest }: SettlingPowers,
  { occasion, record, sending, ledger }: EndedTurn,
): Promise<void> => {
  const { answering } = occasion;
  const numbers = [
    ...sending.copies().map(({ number }) => number),
    ...ledger.decided().filter((number) => number !== answering?.number),
  ];
  if (numbers.length === 0) return;
  const isResumed = record.past.head !== undefined;
  const mayBeGone = isResumed || ledger.decided().length > 0;
  const present = mayBeGone
    ? new Set((await guest.listMessages()).map(({ number }) => number))
    : undefined;
  const there = numbers.filter((number) => present?.has(number) ?? true);
  await Promise.all(there.map((number) => guest.dismiss(number)));
};

/**
 * End a turn: closing reply, node, and what it was about put away, in this
 * order: whatever a crash interrupts is found in the journal, and what follows
 * the node is nobody's loss.
 *
 * @throws Error when the end could not be told or kept: then the journal is
 *   there, and the next incarnation goes on with it
 */
export const settleTurn = async (
  powers: SettlingPowers,
  turn: EndedTurn,
): Promise<SettledOutcome> => {
  const { store, onEvent } = powers;
  const { occasion, head, record, sending, ledger } = turn;
  const reporting =
    (during: string) =>
    (cause: unknown): void =>
      onEvent({ type: 'trouble', during, cause });

  const result = await sayEnd(powers, turn);
  if (powers.isStopped()) throw Error('The agent has stopped');
  const node = nodeOf(powers, turn, result);
  const { alias } = occasion;
  await Promise.all([
    store.put(node),
    sending.filed().catch(reporting('filing what was sent')),
    ...(alias === undefined || store.has(alias)
      ? []
      : [store.put(pointerTo(node, alias))]),
  ]);
  await powers.prolong(node.messageId, head.turnBefore);
  await Promise.all([
    record.remove().catch(reporting('removing the journal of a turn')),
    putRestAway(powers, turn).catch(reporting('putting mail away')),
    occasion.putAway(ledger),
  ]);
  return outcomeOf(result.end);
};
harden(settleTurn);
