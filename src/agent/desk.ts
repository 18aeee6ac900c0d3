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
import { putAway } from './putting-away.ts';
import type { Route, Router } from './router.ts';
import { lineageOf, makeRunner } from './runner.ts';
import type { Scheduler } from './scheduler.ts';
import type { Waiting } from './waiting.ts';

export type DeskPowers = {
  readonly plan: PlanPowers;
  readonly store: TranscriptStore;
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

export const makeDesk = (powers: DeskPowers): Desk => {
  const { plan, store, router, lines, index, waiting } = powers;
  const { doorkeeper, host, onEvent } = powers;
  const { guest } = plan;
  const open = new Map<string, OpenTurn>();
  let held: (() => void)[] = [];
  let stopTimer: (() => void) | undefined;
  let stopped = false;

  /** The lines that go on from this node are on record with it. */
  const prolong = (nodeId: string, turnBefore: string | null): void => {
    for (const messageId of lines.prolong(nodeId, turnBefore)) {
      const record = index.get(messageId);
      if (record === undefined || messageId === nodeId) continue;
      index.put({ ...record, tip: nodeId }).catch((cause: unknown) => {
        onEvent({ type: 'trouble', during: 'recording a proposal', cause });
      });
    }
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

  const admitAndRun = async (
    matter: Matter,
    occasion: Occasion,
    route: Route,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    const { exchanges, unattended } = lineageOf(route);
    if (
      occasion.unattended === 'one-more' &&
      unattended >= powers.maxUnattended
    ) {
      await runner.decline(occasion, route, unattendedNotice(unattended));
      return 'failed';
    }
    const first = route.type === 'continue' ? route.chain[0] : undefined;
    const root = first?.messageId ?? occasion.nodeId;
    const sender = { from: occasion.correspondent };
    const admission = await doorkeeper.admit(sender, { root, exchanges });
    switch (admission.type) {
      case 'admitted':
        return runner.run(occasion, route, abort);
      case 'declined':
        await runner.decline(occasion, route, admission.text);
        return 'failed';
      case 'ended':
        await occasion.putAway(makeLedger());
        return 'silent';
      case 'held':
        hold(matter.again);
        return 'waiting';
    }
  };

  /** In a slot, from the route on that holds when it is its turn. */
  const runRouted = async (
    matter: Matter,
    routeNow: () => Promise<Route>,
    makeOccasion: (route: Route) => Promise<Occasion>,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    const release = await powers.scheduler.enter(matter.correspondent);
    try {
      const route = await routeNow();
      const occasion = await makeOccasion(route);
      try {
        if (route.type !== 'broken') {
          return await admitAndRun(matter, occasion, route, abort);
        }
        await runner.decline(occasion, route, brokenChainNotice(route.missing));
      } catch (cause) {
        if (stopped) return undefined;
        onEvent({ type: 'trouble', during: `message ${matter.number}`, cause });
        const isTrusted = doorkeeper.isTrusted(matter.correspondent);
        const text = troubleNotice(isTrusted ? cause : undefined);
        await runner.decline(occasion, route, text);
      }
      return 'failed';
    } finally {
      release();
    }
  };

  const answerMail = async (
    mail: Mail,
    abort: AbortController,
    matter: Matter,
  ): Promise<SettledOutcome | undefined> => {
    // Two agents with dead models would else tell each other so for ever.
    if (mail.from !== host && isNotice(mail)) {
      await putAway({ guest, onEvent }, mail, makeLedger());
      return 'silent';
    }
    const route = await router.route(mail);
    return runRouted(
      matter,
      () => Promise.resolve(route),
      () => occasionOfMail(powers, mail, route),
      abort,
    );
  };

  const tellOutcome = async (
    decided: Decided,
    record: OpenRecord,
    abort: AbortController,
    matter: Matter,
  ): Promise<SettledOutcome | undefined> => {
    const { messageId } = decided;
    // What happened before in this line is told before.
    await lines.join(messageId, messageId);
    return runRouted(
      matter,
      // Asked when its turn had ended already: the line does not know that.
      () => router.routeAt(lines.tip(messageId) ?? record.askedBy),
      (route) => occasionOfOutcome(powers, decided, record, route),
      abort,
    );
  };

  const begin = (
    matter: Matter,
    parent: Promise<string | null>,
    answer: (abort: AbortController) => Promise<SettledOutcome | undefined>,
  ): void => {
    const { nodeId, number, alias } = matter;
    const abort = new AbortController();
    const handle = async (): Promise<void> => {
      let outcome: SettledOutcome | undefined;
      try {
        outcome = await answer(abort);
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
    begin(matter, router.parentOf(mail), (abort) =>
      answerMail(mail, abort, matter),
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
    begin(matter, Promise.resolve(record.askedBy), (abort) =>
      tellOutcome(decided, record, abort, matter),
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
    usage: runner.usage,
  });
};
harden(makeDesk);
