import { E } from '@endo/far';
import { reasonOf } from '../cli-error.ts';
import type { RemoteAgent, WireMessage } from '../remote.ts';
import { mapBounded } from './map-bounded.ts';
import {
  type ChatPart,
  readJournal,
  readNode,
  readOpen,
  type StoredOpen,
  type TokenCounts,
} from './records.ts';
import { sortStoredNames } from './stored-names.ts';

/**
 * `waiting`: in the agent's mailbox, and nothing is recorded of it yet;
 * `closing`: its end is decided on; `unreadable`: the record is damaged.
 */
export type TurnState =
  'settled' | 'failed' | 'running' | 'closing' | 'waiting' | 'unreadable';

export type Turn = {
  readonly messageId: string;
  /** Of the message or turn it goes on from, pointers included. */
  readonly parentMessageId: string | null;
  readonly state: TurnState;
  /** Handle id; '' when it is not known. */
  readonly correspondent: string;
  /** In the agent's mailbox. */
  readonly number?: bigint;
  readonly messages: readonly ChatPart[];
  readonly usage?: TokenCounts;
  /** The conversation up to here is summed up for the model. */
  readonly isSummedUp: boolean;
  /** Why it is `unreadable`. */
  readonly problem?: string;
};

/** A message that stands for the turn that sent it. */
export type Pointer = { readonly pointsTo: string | null };
export type Stored = Turn | Pointer;

export const isPointer = (stored: Stored): stored is Pointer =>
  'pointsTo' in stored;
harden(isPointer);

export const isTurn = (stored: Stored): stored is Turn => !isPointer(stored);
harden(isTurn);

/** The conversations of an agent. Records are looked up when they are wanted. */
export type Archive = {
  /** Of every turn and every pointer, in no order. */
  readonly ids: readonly string[];
  readonly get: (messageId: string) => Promise<Stored | undefined>;
  /** All of them, looked up a few at a time. */
  readonly all: () => Promise<ReadonlyMap<string, Stored>>;
  readonly open: readonly StoredOpen[];
};

const MOST_AT_ONCE = 16;

/** What the agent has been sent and has not put away, as far as it has no turn. */
export type Waiting = Pick<
  WireMessage,
  'messageId' | 'number' | 'from' | 'replyTo'
> & { readonly text: string };

const turnOfWaiting = (
  { messageId, number, from, text }: Waiting,
  parentMessageId: string | null,
): Turn =>
  harden({
    messageId,
    number,
    correspondent: from,
    parentMessageId,
    state: 'waiting',
    messages: [{ role: 'user', content: text }],
    isSummedUp: false,
  });

/**
 * @param guest - the agent's own, in which it keeps its records
 * @param inbox - mail of others in the guest's mailbox
 */
export const openArchive = async (
  guest: RemoteAgent,
  inbox: readonly Waiting[],
): Promise<Archive> => {
  const names = sortStoredNames(await E(guest).list());
  const settled = new Set(names.nodes);
  const waiting = new Map(inbox.map((mail) => [mail.messageId, mail]));
  const ids = [
    ...new Set([...settled, ...names.journals.keys(), ...waiting.keys()]),
  ];
  const known = new Set(ids);

  const unreadable = (messageId: string, cause: unknown): Turn =>
    harden({
      messageId,
      parentMessageId: null,
      correspondent: '',
      state: 'unreadable',
      messages: [],
      isSummedUp: false,
      problem: reasonOf(cause),
    });

  const settledTurn = async (messageId: string): Promise<Stored> => {
    const value = await E(guest).lookup(`transcript-${messageId}`);
    const { failed, ...node } = readNode(messageId, value);
    if (node.messages.length === 0) return { pointsTo: node.parentMessageId };
    const isSummedUp = names.summaries.has(messageId);
    return { ...node, state: failed ? 'failed' : 'settled', isSummedUp };
  };

  const runningTurn = async (
    messageId: string,
    indices: readonly number[],
  ): Promise<Turn> => {
    const entries = await Promise.all(
      indices.map((index) =>
        E(guest).lookup(`transcript-${messageId}-${index}`),
      ),
    );
    const { isClosing, ...journal } = readJournal(entries);
    const { parentMessageId = null, correspondent = '' } = journal;
    const state = isClosing ? 'closing' : 'running';
    const place = { messageId, parentMessageId, correspondent };
    return { ...journal, ...place, state, isSummedUp: false };
  };

  const load = async (messageId: string): Promise<Stored | undefined> => {
    const indices = names.journals.get(messageId);
    const mail = waiting.get(messageId);
    try {
      if (settled.has(messageId)) return harden(await settledTurn(messageId));
      if (indices !== undefined) {
        return harden(await runningTurn(messageId, indices));
      }
    } catch (error) {
      return unreadable(messageId, error);
    }
    if (mail === undefined) return undefined;
    // A reply to what nobody knows begins a conversation.
    const { replyTo } = mail;
    const isKnown = replyTo !== undefined && known.has(replyTo);
    return turnOfWaiting(mail, isKnown ? replyTo : null);
  };

  const loaded = new Map<string, Promise<Stored | undefined>>();
  const get = (messageId: string): Promise<Stored | undefined> => {
    const before = loaded.get(messageId) ?? load(messageId);
    loaded.set(messageId, before);
    return before;
  };

  const open = await mapBounded(names.open, MOST_AT_ONCE, async (messageId) => {
    try {
      const value = await E(guest).lookup(`hob-open-${messageId}`);
      return [readOpen(messageId, value)];
    } catch (error) {
      // One that is damaged, or was decided a moment ago, hides no other.
      if (error instanceof Error) return [];
      throw error;
    }
  });

  return harden({
    ids,
    get,
    open: open.flat(),
    all: async () => {
      const found = await mapBounded(ids, MOST_AT_ONCE, async (id) => {
        const stored = await get(id);
        return stored === undefined ? [] : [[id, stored] as const];
      });
      return new Map(found.flat());
    },
  });
};
harden(openArchive);
