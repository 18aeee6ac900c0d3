import type { AskMail, Guest, Mail } from '../endo/guest.ts';
import type { Outbox } from '../endo/outbox.ts';
import type { OpenIndex } from '../proposal/open-index.ts';
import type { IntentRecord, TurnHead } from '../transcript/entry.ts';
import { makeJournal, readJournal } from '../transcript/journal.ts';
import { entryName, type StoredNames } from '../transcript/names.ts';
import { pointerTo, type TranscriptNode } from '../transcript/node.ts';
import {
  foldRecords,
  nothingRecorded,
  type RecordedTurn,
  recordedMessages,
  recordedUsage,
} from '../transcript/recorded.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import { recallFacts } from './call-notes.ts';
import { recordOf } from './decisions.ts';
import type { OnAgentEvent } from './events.ts';
import { type Ledger, makeLedger } from './ledger.ts';
import { damagedRecordNotice } from './notice.ts';
import type { Router } from './router.ts';
import { makeTurnRecord, type TurnRecord } from './turn-record.ts';

export type RecoveryPowers = {
  readonly guest: Guest;
  readonly store: TranscriptStore;
  readonly index: OpenIndex;
  readonly router: Pick<Router, 'sent' | 'expect'>;
  readonly outbox: Pick<Outbox, 'trace'>;
  /** Handle id of the agent itself. */
  readonly self: string;
  readonly host: string;
  /** One listing of the directory, and one of the mail, at the start. */
  readonly names: StoredNames;
  readonly inbox: readonly Mail[];
  /** A message that is over, and may not have been put away. */
  readonly putAway: (mail: Mail, ledger: Ledger) => Promise<void>;
  readonly onEvent: OnAgentEvent;
};

/** What earlier incarnations have left undone. */
export type Recovered = {
  /** The journal of a turn: what is in it, when it goes on, or an empty one. */
  readonly recordOf: (nodeId: string) => TurnRecord;
  /** Own copies that belong to turns which go on. */
  readonly kept: ReadonlySet<string>;
};

type Resumed = {
  readonly nodeId: string;
  readonly turn: RecordedTurn;
  readonly traces: Map<string, Mail>;
};

const factsOf = ({ steps }: RecordedTurn) =>
  steps.flatMap(({ results = [] }) => results.map(({ facts }) => facts));

const sentOf = (turn: RecordedTurn) =>
  factsOf(turn).flatMap(({ sent }) => sent);

/** Intents of which it is not known whether they left. */
const danglingOf = ({
  steps,
  closing,
}: RecordedTurn): readonly IntentRecord[] => {
  const last = steps.at(-1);
  const ofCalls = last?.results === undefined ? last?.intents.values() : [];
  return [...(ofCalls ?? []), ...(closing === undefined ? [] : [closing])];
};

const askerOf = (nodeId: string, { correspondent, answers }: TurnHead) => ({
  correspondent,
  askedBy: nodeId,
  answers,
});

/** The turn of a message that is gone, as far as it came. */
const nodeOfGone = (
  nodeId: string,
  head: TurnHead,
  turn: RecordedTurn,
): TranscriptNode =>
  harden({
    messageId: nodeId,
    parentMessageId: head.parentMessageId,
    messages: recordedMessages(turn),
    correspondent: head.correspondent,
    rootMessageId: head.rootMessageId,
    turns: head.turns,
    exchanges: head.exchanges,
    unattended: head.unattended,
    failed: turn.notice?.failed ?? false,
    lastInboxNumber: head.number,
    usage: recordedUsage(turn),
  });

/**
 * Find out what a crash has interrupted, before any mail is taken: which turns
 * go on, and what of theirs has left. Nothing is sent here.
 */
export const recover = async (powers: RecoveryPowers): Promise<Recovered> => {
  const { guest, store, index, router, outbox, names, inbox } = powers;
  const { self, host, onEvent } = powers;
  const isThere = (messageId: string): boolean =>
    inbox.some((mail) => mail.messageId === messageId);
  const report = (during: string, cause: unknown): void =>
    onEvent({ type: 'trouble', during, cause });

  const read = async (
    nodeId: string,
    indices: readonly number[],
  ): Promise<RecordedTurn> => {
    try {
      const records = await readJournal({ directory: guest }, nodeId, indices);
      return foldRecords(records);
    } catch (cause) {
      report('reading the journal of a turn', cause);
      const text = damagedRecordNotice();
      return harden({
        ...nothingRecorded,
        notice: { type: 'notice', text, failed: true },
      });
    }
  };

  const removeEntries = (
    nodeId: string,
    indices: readonly number[],
  ): Promise<unknown> =>
    Promise.all(
      indices.map((each) => guest.remove([entryName(nodeId, each)])),
    ).catch((cause: unknown) => {
      // One that an incarnation before this has just removed, for one.
      report('removing the journal of a turn', cause);
    });

  /** A crash came between the node and the end of the turn. */
  const finishSettled = async (
    nodeId: string,
    indices: readonly number[],
  ): Promise<void> => {
    const turn = await read(nodeId, indices);
    const { alias, correspondent } = turn.head ?? {};
    if (alias !== undefined && correspondent !== undefined) {
      const node = { messageId: nodeId, correspondent };
      if (!store.has(alias)) await store.put(pointerTo(node, alias));
    }
    const mail = inbox.find(({ messageId }) => messageId === nodeId);
    const ledger = makeLedger();
    for (const facts of factsOf(turn)) recallFacts(ledger, facts);
    const tips = index
      .all()
      .filter(({ tip, askedBy }) =>
        [tip, askedBy].includes(turn.head?.turnBefore ?? nodeId),
      );
    for (const record of tips) await index.put({ ...record, tip: nodeId });
    if (mail !== undefined && mail.from !== self) {
      await powers.putAway(mail, ledger);
    }
    await removeEntries(nodeId, indices);
  };

  const finishGone = async (
    nodeId: string,
    turn: RecordedTurn,
    indices: readonly number[],
  ): Promise<void> => {
    const { head } = turn;
    if (head !== undefined) await store.put(nodeOfGone(nodeId, head, turn));
    await removeEntries(nodeId, indices);
  };

  /** Whose an own message is that others may have claimed before the crash. */
  const findOwners = async (
    resumed: readonly Resumed[],
  ): Promise<ReadonlyMap<string, string>> => {
    const owners = new Map<string, string>();
    for (const { messageId, from } of inbox) {
      if (from !== self || !store.has(messageId)) continue;
      // One that cannot be read is nobody's: it hides nothing else.
      const node = await store.get(messageId).catch((cause: unknown) => {
        report('reading whose an own message is', cause);
      });
      const { parentMessageId } = node ?? {};
      owners.set(messageId, parentMessageId ?? '');
    }
    for (const { messageId, askedBy } of index.all()) {
      owners.set(messageId, askedBy ?? '');
    }
    for (const { nodeId, turn } of resumed) {
      for (const { messageId } of sentOf(turn)) owners.set(messageId, nodeId);
    }
    return owners;
  };

  const claim = async (
    { nodeId, turn, traces }: Resumed,
    { intent, resultName }: IntentRecord,
    mail: Mail,
  ): Promise<void> => {
    const { head } = turn;
    traces.set(intent.key, mail);
    if (head === undefined) return;
    const { correspondent } = head;
    if (mail.type === 'package') {
      await router.sent(mail, { messageId: nodeId, correspondent });
    } else if (index.get(mail.messageId) === undefined) {
      const asker = {
        ...askerOf(nodeId, head),
        resultName: resultName ?? null,
      };
      await index.put({ ...recordOf(mail as AskMail), ...asker });
    }
  };

  const trace = async (resumed: readonly Resumed[]): Promise<void> => {
    const owners = await findOwners(resumed);
    const dangling = resumed
      .flatMap((each) =>
        danglingOf(each.turn).map((record) => ({ each, record })),
      )
      // The newest first: an older one may be from a crash before the last.
      .sort((a, b) =>
        Number(b.record.intent.watermark - a.record.intent.watermark),
      );
    for (const { each, record } of dangling) {
      const isOthers = (messageId: string): boolean =>
        (owners.get(messageId) ?? each.nodeId) !== each.nodeId;
      const mail = await outbox.trace(record.intent, isOthers);
      if (mail !== undefined) await claim(each, record, mail);
    }
  };

  /** Pointers that a crash has come before. */
  const fileSent = async ({ nodeId, turn }: Resumed): Promise<void> => {
    const { correspondent } = turn.head ?? {};
    if (correspondent === undefined) return;
    for (const { messageId } of sentOf(turn)) {
      if (store.has(messageId)) continue;
      await store.put(
        pointerTo({ messageId: nodeId, correspondent }, messageId),
      );
    }
  };

  /** Counter-proposals that were answered go with their turn. */
  const finishCounters = async (): Promise<void> => {
    for (const mail of inbox) {
      const isOver =
        mail.type === 'review' &&
        mail.from === host &&
        store.has(mail.messageId);
      if (!isOver) continue;
      await guest.dismiss(mail.number).catch((cause: unknown) => {
        report('putting mail away', cause);
      });
    }
  };

  const resumed: Resumed[] = [];
  for (const [nodeId, indices] of names.entries) {
    if (store.has(nodeId)) {
      await finishSettled(nodeId, indices);
      continue;
    }
    const turn = await read(nodeId, indices);
    const goesOn = isThere(nodeId) || index.get(nodeId) !== undefined;
    if (goesOn) resumed.push({ nodeId, turn, traces: new Map() });
    else await finishGone(nodeId, turn, indices);
  }
  await finishCounters();
  await trace(resumed);
  for (const each of resumed) {
    await fileSent(each);
    router.expect(each.nodeId);
  }

  const waiting = new Map(resumed.map((each) => [each.nodeId, each]));
  return harden({
    kept: new Set(
      resumed.flatMap(({ turn }) =>
        sentOf(turn).map(({ messageId }) => messageId),
      ),
    ),
    recordOf: (nodeId: string) => {
      const found = waiting.get(nodeId);
      waiting.delete(nodeId);
      const indices = names.entries.get(nodeId);
      const isResumed = found !== undefined;
      const journal = makeJournal(
        { directory: guest },
        nodeId,
        isResumed ? indices : [],
      );
      return makeTurnRecord(
        journal,
        found?.turn ?? nothingRecorded,
        found?.traces ?? new Map<string, Mail>(),
      );
    },
  });
};
harden(recover);
