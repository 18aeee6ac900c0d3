import type { AskMail, Mail, PackageMail } from '../endo/guest.ts';
import { messageBody } from '../endo/correspondent.ts';
import {
  type Chain,
  BrokenChainError,
  loadChain,
} from '../transcript/chain.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { Lines } from './lines.ts';
import type { TurnRef } from './outbound.ts';

/** Where a message belongs. */
export type Route =
  | { readonly type: 'root' }
  /** It goes on from a node of a conversation with this very sender. */
  | {
      readonly type: 'continue';
      readonly parentId: string;
      readonly chain: Chain;
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
  /** A turn has begun: what continues it waits until `settled` resolves. */
  readonly began: (messageId: string, settled: Promise<void>) => void;
  /**
   * An own message was seen: replies to it find the turn that sent it. A
   * proposal or a request becomes no node here: its outcome will.
   */
  readonly sent: (
    mail: PackageMail | AskMail,
    turn: TurnRef | undefined,
  ) => Promise<void>;
};

/** Sent messages whose text is kept for who answers them. */
const MOST_SENT = 1000;

type SentRecord = {
  readonly to: string;
  readonly text: string;
  readonly turn: TurnRef | undefined;
};

/**
 * Routing by reply chains. A chain belongs to its correspondent: who answers
 * mail that was sent to him on another's behalf gets a conversation of his own,
 * which holds just the text that he answers.
 */
export const makeRouter = (
  store: TranscriptStore,
  {
    lines,
    openBy,
  }: {
    readonly lines: Lines;
    /** Whose conversation an open proposal or request belongs to. */
    readonly openBy: (messageId: string) => string | undefined;
  },
): Router => {
  const running = new Map<string, Promise<void>>();
  const outgoing = new Map<string, SentRecord>();

  const routeAt = async (nodeId: string | null): Promise<Route> => {
    if (nodeId === null || (await store.get(nodeId)) === undefined) {
      return { type: 'root' };
    }
    try {
      const chain = await loadChain(store, nodeId);
      return { type: 'continue', parentId: nodeId, chain };
    } catch (error) {
      if (!(error instanceof BrokenChainError)) throw error;
      return { type: 'broken', missing: error.missing };
    }
  };

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
    return node?.messages.length === 0 ? node.parentMessageId : replyTo;
  };

  const route = async (mail: Mail): Promise<Route> => {
    const { replyTo, from } = mail;
    if (replyTo === undefined) return { type: 'root' };
    if (openBy(replyTo) === from) {
      await lines.join(replyTo, mail.messageId);
      // Its outcome may have become a node meanwhile.
      const isTold = (await store.get(replyTo)) !== undefined;
      return routeAt(isTold ? replyTo : lines.tip(replyTo));
    }
    const turn = outgoing.get(replyTo)?.turn;
    // Nobody waits for a turn that serves somebody else.
    if (turn === undefined) await running.get(replyTo);
    else if (turn.correspondent === from) await running.get(turn.messageId);
    const node = await store.get(replyTo);
    if (node?.correspondent === from) return routeAt(replyTo);
    const sent = outgoing.get(replyTo);
    return sent?.to !== from
      ? { type: 'root' }
      : { type: 'answer-to-sent', sent: sent.text, turn: sent.turn };
  };

  return harden({
    route,
    routeAt,
    parentOf,
    began: (messageId: string, settled: Promise<void>) => {
      const done = settled.finally(() => running.delete(messageId));
      done.catch(() => {
        // A turn that failed has reported it; those who wait go on.
      });
      running.set(messageId, done);
    },
    sent: async (mail: PackageMail | AskMail, turn: TurnRef | undefined) => {
      const oldest = outgoing.keys().next().value;
      if (outgoing.size >= MOST_SENT && oldest !== undefined) {
        outgoing.delete(oldest);
      }
      outgoing.set(mail.messageId, {
        to: mail.to,
        text: messageBody(mail),
        turn,
      });
      if (turn === undefined || mail.type !== 'package') return;
      const isKnown = (await store.get(mail.messageId)) !== undefined;
      if (isKnown) return;
      // The alias of an outbound message is a pointer, not a copy.
      await store.put({
        messageId: mail.messageId,
        parentMessageId: turn.messageId,
        messages: [],
        // Whose conversation it is, which need not be who received it.
        correspondent: turn.correspondent,
        exchanges: 0,
        unattended: 0,
        failed: false,
      });
    },
  });
};
harden(makeRouter);
