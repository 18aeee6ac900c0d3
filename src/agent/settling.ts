import type { Guest, Mail } from '../endo/guest.ts';
import type { TranscriptNode, TranscriptStore } from '../transcript/store.ts';
import { boundText } from '../tool/render.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import type { Ledger } from './ledger.ts';
import { type Post, textParcel } from './post.ts';
import { markSettled } from './settled-marks.ts';
import type { TurnEnd, TurnResult } from './turn-plan.ts';

/** What a turn continues, as far as its node has to say so. */
export type Lineage = {
  readonly parentId: string | null;
  readonly exchanges: number;
  /** The chain's last turn failed, and its sender was told. */
  readonly failed: boolean;
};

export type SettlingPowers = {
  readonly guest: Guest;
  readonly post: Post;
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

/** Values that came with the message and are named nowhere yet keep it. */
export const mayDismiss = (mail: Mail, ledger: Ledger): boolean => {
  if (mail.type === 'request') return false;
  if (mail.type !== 'package') return true;
  const adopted = ledger.adoptedEdges(mail.number);
  return mail.names.every((name) => adopted.has(name));
};

harden(mayDismiss);

const outcomeOf = (end: TurnEnd): SettledOutcome => {
  if (end.type === 'notice') return end.failed ? 'failed' : 'answered';
  return end.type === 'silent' ? 'silent' : 'answered';
};

/**
 * Take a message that is over out of the inbox, or mark it when it must stay.
 *
 * Contract: never rejects. What fails here is not the sender's trouble.
 */
export const putAway = (
  { guest, onEvent }: Pick<SettlingPowers, 'guest' | 'onEvent'>,
  mail: Mail,
  ledger: Ledger,
): Promise<void> => {
  const cleared =
    mayDismiss(mail, ledger) || ledger.wishesSilence()
      ? guest.dismiss(mail.number)
      : markSettled(guest, mail.messageId);
  return cleared.catch((cause: unknown) => {
    onEvent({ type: 'trouble', during: 'putting mail away', cause });
  });
};
harden(putAway);

/**
 * End a turn: closing reply, node, dismissal, in this order, so that what a
 * crash interrupts is done again and never forgotten.
 */
export const settleTurn = async (
  powers: SettlingPowers,
  mail: Mail,
  result: TurnResult,
  ledger: Ledger,
  lineage: Lineage,
): Promise<SettledOutcome> => {
  const { post, store, isTrusted } = powers;
  const { end } = result;
  const text = closingText(end, lineage, isTrusted);
  const turn = { messageId: mail.messageId, correspondent: mail.from };
  if (text !== undefined) {
    const bounded = boundText(text, LONGEST_REPLY);
    await post.reply(mail, textParcel(bounded), turn);
  }

  const node: TranscriptNode = {
    messageId: mail.messageId,
    parentMessageId: lineage.parentId,
    messages: result.messages,
    correspondent: mail.from,
    exchanges: lineage.exchanges + 1,
    failed: end.type === 'notice' && end.failed,
  };
  await store.put(harden(node));
  await putAway(powers, mail, ledger);
  return outcomeOf(end);
};
harden(settleTurn);
