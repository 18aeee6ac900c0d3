import type { AskMail, Mail, PackageMail } from '../endo/guest.ts';
import { messageBody } from '../endo/correspondent.ts';
import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';
import { BrokenChainError, type Walk, walkChain } from '../transcript/chain.ts';
import {
  isPointer,
  pointerTo,
  type SentText,
  type TranscriptNode,
} from '../transcript/node.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { SummaryStore } from '../transcript/summaries.ts';
import type { Lines } from './lines.ts';

/** The turn on whose behalf something is sent. */
export type TurnRef = {
  /** Of the node that the turn becomes. */
  readonly messageId: string;
  /** Handle id of whom the turn serves; not always whom it writes to. */
  readonly correspondent: string;
};

/** Where a message belongs. */
export type Route =
  | { readonly type: 'root' }
  /** It goes on from a node of a conversation with this very sender. */
  | {
      readonly type: 'continue';
      readonly parentId: string;
      /** The turn before; none when the conversation began without one. */
      readonly last: TranscriptNode | undefined;
      readonly walk: Walk;
    }
  /** It answers what the agent sent to him on somebody else's behalf. */
  | {
      readonly type: 'answer-to-sent';
      readonly sent: string;
      readonly turn: TurnRef | undefined;
    }
  /** It continues a conversation of which a part is gone. */
  | { readonly type: 'broken'; readonly missing: string };

export type Router = {
  /** The node that the message will hang on, before that is settled. Never rejects. */
  readonly parentOf: (mail: Mail) => Promise<string | null>;
  /** On from this node; a new root when it is not known. */
  readonly routeAt: (nodeId: string | null) => Promise<Route>;
  /** Resolves once the conversation that the message continues is settled. */
  readonly route: (mail: Mail) => Promise<Route>;
  /** A turn of an earlier incarnation will go on: what continues it waits. */
  readonly expect: (messageId: string) => void;
  /** A turn has begun: what continues it waits until `settled` resolves. */
  readonly began: (messageId: string, settled: Promise<void>) => void;
  /**
   * An own message was seen: from the call on, replies to it find the turn that
   * sent it; when it resolves, after a restart as well. A proposal or a request
   * becomes no node here: its outcome will.
   */
  readonly sent: (
    mail: PackageMail | AskMail,
    turn: TurnRef | undefined,
  ) => Promise<void>;
};

/** Sent messages whose text is kept for who answers them. */
const MOST_SENT = 1000;
/** Characters of a sent message that its pointer keeps. */
const LONGEST_SENT = 8_000;

type SentRecord = SentText & { readonly turn: TurnRef | undefined };

export type RouterPowers = {
  readonly store: TranscriptStore;
  readonly summaries: Pick<SummaryStore, 'get'>;
  readonly lines: Lines;
  /** Whose conversation an open proposal or request belongs to. */
  readonly openBy: (messageId: string) => string | undefined;
  /** Resolves when no own message is under way whose copy is not seen. */
  readonly whenSeen: () => Promise<void>;
};

/**
 * Routing by reply chains. A chain belongs to its correspondent: who answers
 * mail that was sent to him on another's behalf gets a conversation of his own,
 * which holds just the text that he answers.
 */
export const makeRouter = (powers: RouterPowers): Router => {
  const { store, summaries, lines, openBy } = powers;
  const running = new Map<string, Promise<void>>();
  const expected = new Map<string, PromiseKit<void>>();
  const outgoing = new Map<string, SentRecord>();
  const filing = new Map<string, Promise<void>>();
  const walking = { get: store.get, summaryOf: summaries.get };

  /** The turn at a node: pointers lead to it. */
  const turnAt = async (
    nodeId: string,
  ): Promise<TranscriptNode | undefined> => {
    for (let next: string | null = nodeId; next !== null;) {
      const node = await store.get(next);
      if (node === undefined) throw new BrokenChainError(next);
      if (!isPointer(node)) return node;
      next = node.parentMessageId;
    }
    return undefined;
  };

  const orBroken = (error: unknown): Route => {
    if (!(error instanceof BrokenChainError)) throw error;
    return { type: 'broken', missing: error.missing };
  };

  const findAt = async (nodeId: string | null): Promise<Route> => {
    if (nodeId === null || !store.has(nodeId)) return { type: 'root' };
    const last = await turnAt(nodeId);
    const walk = await walkChain(walking, last?.messageId ?? null);
    return { type: 'continue', parentId: nodeId, last, walk };
  };
  const routeAt = (nodeId: string | null): Promise<Route> =>
    findAt(nodeId).catch(orBroken);

  const parentOf = async ({ replyTo, from }: Mail): Promise<string | null> => {
    if (replyTo === undefined) return null;
    const turn = outgoing.get(replyTo)?.turn;
    const owner = openBy(replyTo) ?? turn?.correspondent;
    // Who answers what was asked of him for another is not in that line.
    if (owner !== undefined && owner !== from) return null;
    if (openBy(replyTo) === from || running.has(replyTo)) return replyTo;
    if (turn !== undefined) return turn.messageId;
    const node = await store.get(replyTo).catch(() => undefined);
    if (node !== undefined && node.correspondent !== from) return null;
    return node !== undefined && isPointer(node)
      ? node.parentMessageId
      : replyTo;
  };

  const sentAt = async (messageId: string): Promise<SentRecord | undefined> => {
    const known = outgoing.get(messageId);
    if (known !== undefined) return known;
    const node = await store.get(messageId);
    if (node?.sent === undefined) return undefined;
    const { sent, correspondent, parentMessageId } = node;
    return parentMessageId === null
      ? { ...sent, turn: undefined }
      : { ...sent, turn: { messageId: parentMessageId, correspondent } };
  };

  /** The turn that sent it. */
  const turnOf = async (messageId: string): Promise<TurnRef | undefined> => {
    const known = outgoing.get(messageId);
    if (known !== undefined) return known.turn;
    const node = await store.get(messageId);
    if (node === undefined || !isPointer(node)) return undefined;
    const { parentMessageId, correspondent } = node;
    return parentMessageId === null
      ? undefined
      : { messageId: parentMessageId, correspondent };
  };

  const whenOver = async (messageId: string): Promise<void> => {
    await expected.get(messageId)?.promise;
    await running.get(messageId);
  };

  const isKnown = (messageId: string): boolean =>
    store.has(messageId) || outgoing.has(messageId) || running.has(messageId);

  const find = async (mail: Mail): Promise<Route> => {
    const { replyTo, from } = mail;
    if (replyTo === undefined) return { type: 'root' };
    // It may answer what has left, and whose copy has not been seen yet.
    if (!isKnown(replyTo)) await powers.whenSeen();
    if (openBy(replyTo) === from) {
      await lines.join(replyTo, mail.messageId);
      // Its outcome may have become a node meanwhile.
      return routeAt(store.has(replyTo) ? replyTo : lines.tip(replyTo));
    }
    const turn = await turnOf(replyTo);
    // Nobody waits for a turn that serves somebody else.
    if (turn === undefined) await whenOver(replyTo);
    else if (turn.correspondent === from) {
      await whenOver(turn.messageId);
      await filing.get(replyTo);
    }
    const node = await store.get(replyTo);
    if (node?.correspondent === from) return routeAt(replyTo);
    const sent = await sentAt(replyTo);
    return sent?.to !== from
      ? { type: 'root' }
      : { type: 'answer-to-sent', sent: sent.text, turn: sent.turn };
  };

  const remember = (messageId: string, record: SentRecord): void => {
    const oldest = outgoing.keys().next().value;
    if (outgoing.size >= MOST_SENT && oldest !== undefined) {
      outgoing.delete(oldest);
    }
    outgoing.set(messageId, record);
  };

  /** The alias of an outbound message is a pointer, not a copy. */
  const file = ({ messageId }: Mail, sent: SentText, turn: TurnRef) => {
    if (store.has(messageId)) return Promise.resolve();
    // Whose conversation it is need not be who received it.
    const text = sent.text.slice(0, LONGEST_SENT);
    const kept =
      sent.to === turn.correspondent ? undefined : { to: sent.to, text };
    const filed = store.put(pointerTo(turn, messageId, kept));
    const over = (): void => void filing.delete(messageId);
    filing.set(messageId, filed.then(over, over));
    return filed;
  };

  return harden({
    route: (mail: Mail) => find(mail).catch(orBroken),
    routeAt,
    parentOf,
    expect: (messageId: string) => {
      if (!expected.has(messageId)) expected.set(messageId, makePromiseKit());
    },
    began: (messageId: string, settled: Promise<void>) => {
      const done = settled.finally(() => running.delete(messageId));
      done.catch(() => {
        // A turn that failed has reported it; those who wait go on.
      });
      running.set(messageId, done);
      expected.get(messageId)?.resolve();
      expected.delete(messageId);
    },
    sent: async (mail: PackageMail | AskMail, turn: TurnRef | undefined) => {
      const sent = { to: mail.to, text: messageBody(mail) };
      remember(mail.messageId, { ...sent, turn });
      if (turn === undefined || mail.type !== 'package') return;
      await file(mail, sent, turn);
    },
  });
};
harden(makeRouter);
