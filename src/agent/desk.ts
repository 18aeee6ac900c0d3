import type { Mail } from '../endo/guest.ts';
import { quoteText } from '../endo/quote.ts';
import type { Usage } from '../model/chat.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { Asides } from './asides.ts';
import { type PlanPowers, planTurn } from './conversation.ts';
import type { DailyBudget } from './daily-budget.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeLedger } from './ledger.ts';
import {
  brokenChainNotice,
  exchangesNotice,
  guestBudgetNotice,
  troubleNotice,
} from './notice.ts';
import { textParcel } from './post.ts';
import type { Route, Router } from './router.ts';
import type { Scheduler } from './scheduler.ts';
import { type Lineage, settleTurn } from './settling.ts';
import { runTurn } from './turn.ts';
import type { Waiting } from './waiting.ts';

export type DeskPowers = {
  readonly plan: PlanPowers;
  readonly store: TranscriptStore;
  readonly router: Router;
  readonly waiting: Waiting;
  readonly asides: Asides;
  readonly scheduler: Scheduler;
  readonly budget: DailyBudget;
  readonly host: string;
  readonly isTrusted: (id: string) => boolean;
  readonly maxExchanges: number;
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
  const { plan, store, router, waiting, asides, budget, onEvent } = powers;
  const { guest, post, correspondents } = plan;
  const open = new Map<string, OpenTurn>();
  let usage: Usage = { input: 0, cached: 0, output: 0 };
  const told = new Set<string>();
  let stopped = false;

  /** Whether this is the first time; what limits mail is told once. */
  const isFirst = (occasion: string): boolean => {
    const first = !told.has(occasion);
    told.add(occasion);
    return first;
  };

  const spend = (spent: Usage, isTrusted: boolean): void => {
    usage = {
      input: usage.input + spent.input,
      cached: usage.cached + spent.cached,
      output: usage.output + spent.output,
    };
    if (!isTrusted) budget.spent(spent.input + spent.output);
  };

  /** Answer without a turn. */
  const decline = async (mail: Mail, text: string): Promise<void> => {
    const turn = { messageId: mail.messageId, correspondent: mail.from };
    await post.reply(mail, textParcel(text), turn);
    await guest.dismiss(mail.number);
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

  /** What keeps mail of others from costing without end. */
  const refusal = async (
    mail: Mail,
    route: Route,
  ): Promise<SettledOutcome | undefined> => {
    if (powers.isTrusted(mail.from)) return undefined;
    const { exchanges } = lineageOf(route);
    if (exchanges >= powers.maxExchanges) {
      const root = route.type === 'continue' ? route.chain[0]?.messageId : '';
      if (isFirst(`exchanges ${root ?? ''}`)) {
        const sender = await correspondents.describe(mail.from);
        const text = exchangesNotice(sender, exchanges);
        await post.send(['HOST'], textParcel(text), undefined);
      }
      await guest.dismiss(mail.number);
      return 'silent';
    }
    if (!budget.isExhausted()) return undefined;
    if (isFirst(`budget ${budget.day()} ${mail.from}`)) {
      await decline(mail, guestBudgetNotice());
      return 'failed';
    }
    // It stays in the inbox, to be taken up when there is a budget again.
    return 'waiting';
  };

  const runAndSettle = async (
    mail: Mail,
    route: Route,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    const ledger = makeLedger();
    const lineage = lineageOf(route);
    const isTrusted = powers.isTrusted(mail.from);
    const turnPlan = await planTurn(plan, {
      mail,
      isTrusted,
      chain: route.type === 'continue' ? route.chain : [],
      preface: await prefaceFor(mail, route),
      ledger,
      signal: abort.signal,
      isStopping: () => stopped,
    });
    const { number } = mail;
    onEvent({ type: 'turn-began', number });
    const result = await runTurn({
      ...turnPlan,
      onAnswer: (answer) => {
        spend(answer.usage, isTrusted);
        const toolCalls = answer.message.toolCalls.length;
        onEvent({
          type: 'model-answered',
          number,
          usage: answer.usage,
          toolCalls,
        });
      },
      onOutcome: ({ call, isError }) =>
        onEvent({ type: 'tool-ran', number, tool: call.name, ok: !isError }),
    });
    if (result.end.type === 'abandoned') return undefined;
    return settleTurn(
      { guest, post, store, isTrusted },
      mail,
      result,
      ledger,
      lineage,
    );
  };

  const answer = async (
    mail: Mail,
    abort: AbortController,
  ): Promise<SettledOutcome | undefined> => {
    const route = await router.route(mail);
    if (route.type === 'broken') {
      await decline(mail, brokenChainNotice(route.missing));
      return 'failed';
    }
    const refused = await refusal(mail, route);
    if (refused !== undefined) return refused;
    const release = await powers.scheduler.enter(mail.from);
    try {
      return await runAndSettle(mail, route, abort);
    } finally {
      release();
    }
  };

  /** Trouble of our own (the daemon refused something) is told, once. */
  const reportTrouble = async (mail: Mail, cause: unknown): Promise<void> => {
    onEvent({ type: 'trouble', during: `message ${mail.number}`, cause });
    await decline(mail, troubleNotice(cause));
  };

  const handle = async (mail: Mail, abort: AbortController): Promise<void> => {
    let outcome: SettledOutcome | undefined;
    try {
      outcome = await answer(mail, abort);
    } catch (cause) {
      if (stopped) return;
      outcome = 'failed';
      await reportTrouble(mail, cause).catch((second: unknown) => {
        onEvent({ type: 'trouble', during: 'reporting', cause: second });
      });
    } finally {
      open.delete(mail.messageId);
    }
    if (outcome === undefined) return;
    waiting.settled(mail.messageId, outcome);
    onEvent({ type: 'turn-settled', number: mail.number, outcome });
  };

  return harden({
    take: (mail: Mail) => {
      const abort = new AbortController();
      open.set(mail.messageId, { from: mail.from, abort });
      router.began(mail.messageId, handle(mail, abort));
    },
    interrupt: () => {
      const ours = [...open.values()].filter(
        ({ from }) => from === powers.host,
      );
      for (const { abort } of ours) abort.abort();
      return ours.length;
    },
    stop: (reason: string) => {
      stopped = true;
      powers.scheduler.stop(Error(`The agent has stopped: ${reason}`));
      for (const { abort } of open.values()) abort.abort();
    },
    openTurns: () => open.size,
    usage: () => usage,
  });
};
harden(makeDesk);
