import type { Mail } from '../endo/guest.ts';
import type { Usage } from '../model/chat.ts';
import type { OpenIndex } from '../proposal/open-index.ts';
import type { OpenRecord } from '../proposal/open-record.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { Doorkeeper } from './admission.ts';
import type { Asides } from './asides.ts';
import type { PlanPowers } from './conversation.ts';
import type { Decided } from './decisions.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeLedger } from './ledger.ts';
import type { Lines } from './lines.ts';
import { occasionOfMail } from './mail-occasion.ts';
import {
  brokenChainNotice,
  isNotice,
  troubleNotice,
  unattendedNotice,
} from './notice.ts';
import type { Occasion } from './occasion.ts';
import { occasionOfOutcome } from './outcome-occasion.ts';
import { mayDismiss, putAway } from './putting-away.ts';
import { pointerTo } from '../transcript/node.ts';
import type { TurnRecord } from './turn-record.ts';
import type { Route, Router } from './router.ts';
import { makeRunner } from './runner.ts';
import type { Scheduler } from './scheduler.ts';
import type { Waiting } from './waiting.ts';

export type DeskPowers = {
  readonly plan: PlanPowers;
  readonly store: TranscriptStore;
  /** The journal of this turn; with what an earlier incarnation left in it. */
  readonly recordOf: (nodeId: string) => TurnRecord;
  readonly router: Router;
  readonly lines: Lines;
  readonly index: OpenIndex;
  readonly waiting: Waiting;
  readonly asides: Asides;
  readonly scheduler: Scheduler;
  readonly doorkeeper: Doorkeeper;
  /** Handle id of the HOST. */
  readonly host: string;
  /** Outcomes of requests to others that are told without a word between. */
  readonly maxUnattended: number;
  /** Milliseconds until mail that was held is looked at again. */
  readonly untilNextDay: () => number;
  readonly onEvent: OnAgentEvent;
};

/** Where inbound messages, and the outcomes of what was asked, become turns. */
export type Desk = {
  /** Contract: never throws; what becomes of the message is reported. */
  readonly take: (mail: Mail) => void;
  /** Contract: as `take`. */
  readonly takeDecided: (decided: Decided) => void;
  readonly interrupt: () => number;
  readonly stop: (reason: string) => void;
  readonly openTurns: () => number;
  /** Whether a turn for this message is under way. */
  readonly isAt: (messageId: string) => boolean;
  readonly usage: () => Usage;
};

type OpenTurn = { readonly from: string; readonly abort: AbortController };

/** What is under way, as far as it is known before it is routed. */
type Matter = {
  readonly nodeId: string;
  readonly number: bigint;
  readonly correspondent: string;
  /** Another message that the turn answers. */
  readonly alias?: string;
  /** The turn could not begin today: begin it again tomorrow. */
  readonly again: () => void;
};

/** A matter that is being dealt with. */
type Underway = {
  readonly matter: Matter;
  readonly record: TurnRecord;
  readonly abort: AbortController;
};

export const makeDesk = (powers: DeskPowers): Desk => {
  const { plan, store, router, lines, index, waiting } = powers;
  const { doorkeeper, host, onEvent } = powers;
  const { guest } = plan;
  const open = new Map<string, OpenTurn>();
  let held: (() => void)[] = [];
  let stopTimer: (() => void) | undefined;
  let stopped = false;

  /** The lines that go on from this node are on record with it. */
  const prolong = async (
    nodeId: string,
    turnBefore: string | null,
  ): Promise<void> => {
    const writes = lines.prolong(nodeId, turnBefore).map(async (messageId) => {
      const record = index.get(messageId);
      if (record === undefined || messageId === nodeId) return;
      await index.put({ ...record, tip: nodeId });
    });
    await Promise.all(writes).catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'recording a proposal', cause });
    });
  };
  const runner = makeRunner({
    plan,
    store,
    doorkeeper,
    isStopped: () => stopped,
    prolong,
    onEvent,
  });

  const hold = (again: () => void): void => {
    held.push(again);
    stopTimer ??= plan.startTimer(powers.untilNextDay(), () => {
      const waited = held;
      held = [];
      stopTimer = undefined;
      for (const each of waited) each();
    });
  };

  /** A message without a turn that must stay, and is not to be taken again. */
  const leave = async (
    { from, messageId }: Mail,
    parentId: string | null,
  ): Promise<void> => {
    if (store.has(messageId)) return;
    const parent = { messageId: parentId, correspondent: from };
    await store.put(pointerTo(parent, messageId));
  };

  const admitAndRun = async (
    { matter, record, abort }: Underway,
    occasion: Occasion,
    route: Route,
  ): Promise<SettledOutcome | undefined> => {
    // What has begun was admitted then.
    if (record.past.head !== undefined) {
      return runner.run(occasion, route, record, abort);
    }
    const last = route.type === 'continue' ? route.last : undefined;
    const { exchanges = 0, unattended = 0 } = last ?? {};
    if (
      occasion.unattended === 'one-more' &&
      unattended >= powers.maxUnattended
    ) {
      const text = unattendedNotice(unattended);
      return runner.decline(occasion, route, record, text);
    }
    const root = last?.rootMessageId ?? occasion.nodeId;
    const sender = { from: occasion.correspondent };
    const admission = await doorkeeper.admit(sender, { root, exchanges });
    switch (admission.type) {
      case 'admitted':
        return runner.run(occasion, route, record, abort);
      case 'declined':
        return runner.decline(occasion, route, record, admission.text);
      case 'ended': {
        const { answering, nodeId } = occasion;
        const ledger = makeLedger();
        if (answering?.messageId === nodeId && !mayDismiss(answering, ledger)) {
          await leave(answering, last?.messageId ?? null);
        }
        await occasion.putAway(ledger);
        return 'silent';
      }
      case 'held':
        hold(matter.again);
        return 'waiting';
    }
  };

  /** In a slot, from the route on that holds when it is its turn. */
  const runRouted = async (
    underway: Underway,
    routeNow: () => Promise<Route>,
    makeOccasion: (route: Route) => Promise<Occasion>,
  ): Promise<SettledOutcome | undefined> => {
    const { matter, record } = underway;
    const { correspondent, number } = matter;
    const release = await powers.scheduler.enter(correspondent);
    try {
      const { head } = record.past;
      const route =
        head === undefined
          ? await routeNow()
          : await router.routeAt(head.parentMessageId);
      const occasion = await makeOccasion(route);
      try {
        if (route.type !== 'broken') {
          return await admitAndRun(underway, occasion, route);
        }
        const text = brokenChainNotice(route.missing);
        return await runner.decline(occasion, route, record, text);
      } catch (cause) {
        if (stopped) return undefined;
        onEvent({ type: 'trouble', during: `message ${number}`, cause });
        const isTrusted = doorkeeper.isTrusted(correspondent);
        const text = troubleNotice(isTrusted ? cause : undefined);
        return await runner.decline(occasion, route, record, text);
      }
    } finally {
      release();
    }
  };

  const answerMail = async (
    mail: Mail,
    underway: Underway,
  ): Promise<SettledOutcome | undefined> => {
    const isNew = underway.record.past.head === undefined;
    // Two agents with dead models would else tell each other so for ever.
    if (isNew && mail.from !== host && isNotice(mail)) {
      const ledger = makeLedger();
      if (!mayDismiss(mail, ledger)) await leave(mail, null);
      await putAway({ guest, onEvent }, mail, ledger);
      return 'silent';
    }
    const route: Route = isNew ? await router.route(mail) : { type: 'root' };
    return runRouted(
      underway,
      () => Promise.resolve(route),
      (now) => occasionOfMail(powers, mail, now),
    );
  };

  const tellOutcome = async (
    decided: Decided,
    asked: OpenRecord,
    underway: Underway,
  ): Promise<SettledOutcome | undefined> => {
    const { messageId } = decided;
    // What happened before in this line is told before.
    await lines.join(messageId, messageId);
    return runRouted(
      underway,
      // Asked when its turn had ended already: the line does not know that.
      () => router.routeAt(lines.tip(messageId) ?? asked.askedBy),
      (route) => occasionOfOutcome(powers, decided, asked, route),
    );
  };

  const begin = (
    matter: Matter,
    parent: Promise<string | null>,
    answer: (underway: Underway) => Promise<SettledOutcome | undefined>,
  ): void => {
    const { nodeId, number, alias } = matter;
    const abort = new AbortController();
    const record = powers.recordOf(nodeId);
    const handle = async (): Promise<void> => {
      let outcome: SettledOutcome | undefined;
      try {
        outcome = await answer({ matter, record, abort });
      } catch (cause) {
        if (stopped) return;
        outcome = 'failed';
        onEvent({ type: 'trouble', during: `message ${number}`, cause });
      } finally {
        open.delete(nodeId);
      }
      if (outcome === undefined) return;
      waiting.settled(nodeId, outcome);
      if (alias !== undefined) waiting.settled(alias, outcome);
      onEvent({ type: 'turn-settled', number, outcome });
    };
    open.set(nodeId, { from: matter.correspondent, abort });
    const { promise: settled, resolve } = Promise.withResolvers<undefined>();
    // Known to be under way before its first step.
    lines.began(nodeId, parent, settled);
    router.began(nodeId, settled);
    if (alias !== undefined) router.began(alias, settled);
    plan.decisions.began(nodeId);
    void handle().then(() => resolve(undefined));
  };

  const take = (mail: Mail): void => {
    const matter = {
      nodeId: mail.messageId,
      number: mail.number,
      correspondent: mail.from,
      again: () => take(mail),
    };
    begin(matter, router.parentOf(mail), (underway) =>
      answerMail(mail, underway),
    );
  };

  const takeDecided = (decided: Decided): void => {
    const record = index.get(decided.messageId);
    if (record === undefined) return;
    const matter = {
      nodeId: decided.messageId,
      number: record.number,
      correspondent: record.correspondent,
      again: () => takeDecided(decided),
      ...(decided.counter === undefined
        ? {}
        : { alias: decided.counter.messageId }),
    };
    begin(matter, Promise.resolve(record.askedBy), (underway) =>
      tellOutcome(decided, record, underway),
    );
  };

  return harden({
    take,
    takeDecided,
    interrupt: () => {
      const ours = [...open.values()].filter(({ from }) => from === host);
      for (const { abort } of ours) abort.abort();
      return ours.length;
    },
    stop: (reason: string) => {
      stopped = true;
      stopTimer?.();
      powers.scheduler.stop(Error(`The agent has stopped: ${reason}`));
      for (const { abort } of open.values()) abort.abort();
    },
    openTurns: () => open.size,
    isAt: (messageId: string) => open.has(messageId),
    usage: runner.usage,
  });
};
harden(makeDesk);
