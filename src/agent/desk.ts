import { messageText } from '../endo/correspondent.ts';
import type { Mail } from '../endo/guest.ts';
import { quoteText } from '../endo/quote.ts';
import type { Usage } from '../model/chat.ts';
import { addUsage, noUsage } from '../model/usage.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { Doorkeeper } from './admission.ts';
import type { Asides } from './asides.ts';
import { type PlanPowers, planTurn } from './conversation.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeLedger } from './ledger.ts';
import { brokenChainNotice, isNotice, troubleNotice } from './notice.ts';
import type { Route, Router } from './router.ts';
import type { Scheduler } from './scheduler.ts';
import { type Lineage, putAway, settleTurn } from './settling.ts';
import { runTurn } from './turn.ts';
import type { TurnResult } from './turn-plan.ts';
import type { Waiting } from './waiting.ts';

export type DeskPowers = {
  readonly plan: PlanPowers;
  readonly store: TranscriptStore;
  readonly router: Router;
  readonly waiting: Waiting;
  readonly asides: Asides;
  readonly scheduler: Scheduler;
  readonly doorkeeper: Doorkeeper;
  /** Handle id of the HOST. */
  readonly host: string;
  /** Milliseconds until mail that was held is looked at again. */
  readonly untilNextDay: () => number;
  readonly onEvent: OnAgentEvent;
};

/** Where inbound messages become turns. */
export type Desk = {
  /** Contract: never throws; what becomes of the message is reported. */
  readonly take: (mail: Mail) => void;
  readonly interrupt: () => number;
  readonly stop: (reason: string) => void;
  readonly openTurns: () => number;
  readonly usage: () => Usage;
};

/** Characters of an answer that the conversation it concerns is shown. */
const ASIDE_LENGTH = 200;

type OpenTurn = { readonly from: string; readonly abort: AbortController };

const lineageOf = (route: Route): Lineage => {
  const last = route.type === 'continue' ? route.chain.at(-1) : undefined;
  return {
    parentId: route.type === 'continue' ? route.parentId : null,
    exchanges: last?.exchanges ?? 0,
    failed: last?.failed ?? false,
  };
};

export const makeDesk = (powers: DeskPowers): Desk => {
  const { plan, store, router, waiting, asides, doorkeeper, onEvent } = powers;
  const { guest, post, correspondents } = plan;
  const open = new Map<string, OpenTurn>();
  let held: Mail[] = [];
  let stopTimer: (() => void) | undefined;
  let usage = noUsage;
  let stopped = false;

  const settling = (sender: string) => ({
    guest,
    post,
    store,
    isTrusted: doorkeeper.isTrusted(sender),
    onEvent,
  });

  /** Answer without a turn; the conversation goes on from what was said. */
  const decline = async (
    mail: Mail,
    lineage: Lineage,
    text: string,
  ): Promise<void> => {
    const sender = await correspondents.describe(mail.from);
    const result: TurnResult = harden({
      end: { type: 'notice', text, failed: true },
      messages: [
        { role: 'user', content: messageText(mail, sender) },
        { role: 'assistant', content: text, toolCalls: [] },
      ],
      usage: noUsage,
    });
    await settleTurn(settling(mail.from), mail, result, makeLedger(), lineage);
  };

  const prefaceFor = async (
    mail: Mail,
    route: Route,
  ): Promise<readonly string[]> => {
    if (route.type === 'continue') {
      return asides.take(route.chain.map(({ messageId }) => messageId));
    }
    if (route.type !== 'answer-to-sent') return [];
    const sender = await correspondents.describe(mail.from);
    if (route.turn !== undefined && mail.type === 'package') {
      const line = quoteText(mail.strings.join(' ').slice(0, ASIDE_LENGTH));
      asides.add(
        route.turn.messageId,
        `(${sender} has answered what you sent, in message #${mail.number}, beginning ${line})`,
      );
    }
    return [`(This answers what you wrote to ${sender}: ${route.sent})`];
  };

  const runAndSettle = async (
    mail: Mail,
    route: Route,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    const { number } = mail;
    const ledger = makeLedger();
    const turnPlan = await planTurn(plan, {
      mail,
      isTrusted: doorkeeper.isTrusted(mail.from),
      chain: route.type === 'continue' ? route.chain : [],
      preface: await prefaceFor(mail, route),
      ledger,
      signal: abort.signal,
      isStopping: () => stopped,
    });
    onEvent({ type: 'turn-began', number });
    const result = await runTurn({
      ...turnPlan,
      onAnswer: ({ message }, spent) => {
        usage = addUsage(usage, spent);
        doorkeeper.spent(mail.from, spent);
        const toolCalls = message.toolCalls.length;
        onEvent({ type: 'model-answered', number, usage: spent, toolCalls });
      },
      onModelError: ({ kind }) =>
        onEvent({ type: 'model-failed', number, kind }),
      onOutcome: ({ call, isError }) =>
        onEvent({ type: 'tool-ran', number, tool: call.name, ok: !isError }),
    });
    if (result.end.type === 'abandoned') return undefined;
    const lineage = lineageOf(route);
    return settleTurn(settling(mail.from), mail, result, ledger, lineage);
  };

  const hold = (mail: Mail): void => {
    held.push(mail);
    stopTimer ??= plan.startTimer(powers.untilNextDay(), () => {
      const waited = held;
      held = [];
      stopTimer = undefined;
      for (const each of waited) take(each);
    });
  };

  const admitAndRun = async (
    mail: Mail,
    route: Route,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    const { exchanges } = lineageOf(route);
    const first = route.type === 'continue' ? route.chain[0] : undefined;
    const root = first?.messageId ?? mail.messageId;
    const admission = await doorkeeper.admit(mail, { root, exchanges });
    switch (admission.type) {
      case 'admitted':
        return runAndSettle(mail, route, abort);
      case 'declined':
        await decline(mail, lineageOf(route), admission.text);
        return 'failed';
      case 'ended':
        await putAway(settling(mail.from), mail, makeLedger());
        return 'silent';
      case 'held':
        hold(mail);
        return 'waiting';
    }
  };

  const answer = async (
    mail: Mail,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    // Two agents with dead models would else tell each other so for ever.
    if (mail.from !== powers.host && isNotice(mail)) {
      await putAway(settling(mail.from), mail, makeLedger());
      return 'silent';
    }
    const route = await router.route(mail);
    if (route.type === 'broken') {
      await decline(mail, lineageOf(route), brokenChainNotice(route.missing));
      return 'failed';
    }
    const release = await powers.scheduler.enter(mail.from);
    try {
      return await admitAndRun(mail, route, abort);
    } catch (cause) {
      if (stopped) return undefined;
      onEvent({ type: 'trouble', during: `message ${mail.number}`, cause });
      const told = doorkeeper.isTrusted(mail.from) ? cause : undefined;
      await decline(mail, lineageOf(route), troubleNotice(told));
      return 'failed';
    } finally {
      release();
    }
  };

  const handle = async (mail: Mail, abort: AbortController): Promise<void> => {
    let outcome: SettledOutcome | undefined;
    try {
      outcome = await answer(mail, abort);
    } catch (cause) {
      if (stopped) return;
      outcome = 'failed';
      onEvent({ type: 'trouble', during: `message ${mail.number}`, cause });
    } finally {
      open.delete(mail.messageId);
    }
    if (outcome === undefined) return;
    waiting.settled(mail.messageId, outcome);
    onEvent({ type: 'turn-settled', number: mail.number, outcome });
  };

  const take = (mail: Mail): void => {
    const abort = new AbortController();
    open.set(mail.messageId, { from: mail.from, abort });
    router.began(mail.messageId, handle(mail, abort));
  };

  return harden({
    take,
    interrupt: () => {
      const ours = [...open.values()].filter(
        ({ from }) => from === powers.host,
      );
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
    usage: () => usage,
  });
};
harden(makeDesk);
