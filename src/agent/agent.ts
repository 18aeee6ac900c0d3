import { makeCorrespondents } from '../endo/correspondent.ts';
import type { Following, Guest, Mail } from '../endo/guest.ts';
import { type Outbox, makeOutbox } from '../endo/outbox.ts';
import { makeNameGate } from '../endo/name-gate.ts';
import type { ChatModel, Usage } from '../model/chat.ts';
import type { Config } from '../config.ts';
import { staticToolNames } from '../guest-tools/tool-sets.ts';
import { makeAdoptedTools } from '../tool/adopted-tools.ts';
import { makeOpenIndex } from '../proposal/open-index.ts';
import type { OpenRecord } from '../proposal/open-record.ts';
import { sortNames } from '../transcript/names.ts';
import { makeTranscriptStore } from '../transcript/store.ts';
import { makeSummaryStore } from '../transcript/summaries.ts';
import { makeDoorkeeper } from './admission.ts';
import { announce } from './announcement.ts';
import { makeAsides } from './asides.ts';
import { makeContextWindow } from './context-window.ts';
import { makeDailyBudget } from './daily-budget.ts';
import { makeDecisions } from './decisions.ts';
import { makeDesk } from './desk.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeInbox } from './inbox.ts';
import { makeLease } from './lease.ts';
import { makeLines } from './lines.ts';
import { replaceOldMarks } from './old-marks.ts';
import { makePost } from './post.ts';
import { makeSystemPrompt } from './prompt.ts';
import { makeRouter } from './router.ts';
import { putAway } from './putting-away.ts';
import { recover } from './recovery.ts';
import { makeScheduler } from './scheduler.ts';
import { makeWaiting } from './waiting.ts';

export type AgentPowers = {
  readonly guest: Guest;
  readonly model: ChatModel;
  readonly config: Config;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
  /** Unique texts of letters, digits and hyphens. */
  readonly makeId: () => string;
  readonly onEvent: OnAgentEvent;
};

export type AgentStatus = {
  readonly openTurns: number;
  /** Those that are not decided yet. */
  readonly openProposals: number;
  readonly openRequests: number;
  readonly usage: Usage;
};

export type Agent = {
  /** Resolves when the agent follows its mail. */
  readonly started: Promise<void>;
  /** End every turn without a word; the mail stays in the inbox. Idempotent. */
  readonly stop: (reason: string) => void;
  /** End the HOST's running turns with a notice; how many there were. */
  readonly interrupt: () => number;
  readonly whenSettled: (messageId: string) => Promise<SettledOutcome>;
  readonly status: () => AgentStatus;
};

/** For a tool to tell its schema: a start and a turn may wait for it. */
const SCHEMA_TIMEOUT_MS = 5000;

/** Handle ids of the senders that `LAL_OPEN` names, and what names nobody. */
const resolveOpen = async (
  guest: Guest,
  open: readonly string[],
): Promise<{
  readonly ids: ReadonlySet<string>;
  readonly unknown: readonly string[];
}> => {
  const found = await Promise.all(
    open.map(async (name) => ({ name, at: await guest.locate([name]) })),
  );
  // Mail comes from handles: a name of anything else opens nobody.
  return {
    ids: new Set(
      found.flatMap(({ at }) => (at?.type === 'handle' ? [at.id] : [])),
    ),
    unknown: found.flatMap(({ name, at }) =>
      at?.type === 'handle' ? [] : [name],
    ),
  };
};

const countOpen = (
  open: readonly OpenRecord[],
): Pick<AgentStatus, 'openProposals' | 'openRequests'> => {
  const proposals = open.filter(({ kind }) => kind === 'proposal').length;
  return { openProposals: proposals, openRequests: open.length - proposals };
};

const contextOf = ({
  model,
}: Config): Parameters<typeof makeContextWindow>[0] =>
  'maxTokens' in model
    ? { contextTokens: model.contextTokens, maxTokens: model.maxTokens }
    : { contextTokens: model.contextTokens };

/**
 * The agent: follows its guest's mail and answers it. Starts by itself; ends
 * by `stop`, by the loss of its lease, or with its daemon.
 */
export const makeAgent = (powers: AgentPowers): Agent => {
  const { guest, model, config, onEvent } = powers;
  const incarnation = powers.makeId();
  const waiting = makeWaiting();
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  let desk: ReturnType<typeof makeDesk> | undefined;
  let decisions: ReturnType<typeof makeDecisions> | undefined;
  let messages: Following<Mail> | undefined;
  let outbox: Outbox | undefined;
  let isSettled: (messageId: string) => boolean = () => false;

  const stop = (reason: string): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    lease.close();
    tools.close();
    const stopped = Error(`The agent has stopped: ${reason}`);
    waiting.stop(stopped);
    outbox?.close(stopped);
    desk?.stop(reason);
    messages?.close().catch((cause: unknown) => {
      onEvent({ type: 'trouble', during: 'closing the inbox', cause });
    });
    onEvent({ type: 'stopped', reason });
  };

  const tools = makeAdoptedTools({
    guest,
    staticNames: staticToolNames,
    time: { timeoutMs: SCHEMA_TIMEOUT_MS, startTimer: powers.startTimer },
    onTrouble: (during, cause) => onEvent({ type: 'trouble', during, cause }),
  });

  const lease = makeLease({
    guest,
    incarnation,
    onNameChange: tools.noteName,
    onLost: ({ message }) => {
      if (stopping.signal.aborted) return;
      onEvent({ type: 'lease-lost' });
      stop(message);
    },
  });

  const start = async (): Promise<void> => {
    // Whoever made this agent may stop it at once: then it leaves no mark.
    await Promise.resolve();
    if (isStopped()) return;
    const [identity] = await Promise.all([guest.identity(), lease.take()]);
    const [open, names, present, guarantees] = await Promise.all([
      resolveOpen(guest, config.open),
      guest.list([]),
      guest.listMessages(),
      guest.guarantees(),
      tools.start(),
    ]);
    const stored = sortNames(names);
    const { cacheBytes } = config;
    const store = makeTranscriptStore({
      directory: guest,
      present: stored.nodes,
      cacheBytes,
    });
    isSettled = store.has;
    const summaries = makeSummaryStore({
      directory: guest,
      present: stored.summaries,
      cacheBytes,
    });
    const index = makeOpenIndex(guest);
    await index.load(names, (cause) => {
      onEvent({ type: 'trouble', during: 'reading what is open', cause });
    });
    await replaceOldMarks(guest, store, names, present);
    const out = makeOutbox({
      guest,
      identity,
      present,
      assertMay: async () => {
        await lease.assertHeld();
        if (isStopped()) throw Error('The agent has stopped');
      },
      startTimer: powers.startTimer,
    });
    outbox = out;
    const lines = makeLines();
    const router = makeRouter({
      store,
      summaries,
      lines,
      openBy: (messageId) => index.get(messageId)?.correspondent,
      whenSeen: out.idle,
    });
    const { self, host } = identity;
    const post = makePost({ guest, outbox: out, router, self, onEvent });
    const correspondents = makeCorrespondents(guest, identity);
    const { guestTokens: tokens } = config;
    const budget = makeDailyBudget({ tokens, now: powers.now });
    if (isStopped()) return;
    const deciding = makeDecisions({
      guest,
      host,
      index,
      lines,
      isSettled: store.has,
      onDecided: (decided) => desk?.takeDecided(decided),
      onEvent,
    });
    decisions = deciding;
    const recovered = await recover({
      ...{ guest, store, index, router, outbox: out, self, host, onEvent },
      names: stored,
      inbox: present,
      putAway: (mail, ledger) =>
        putAway(
          { guest, onEvent },
          mail,
          ledger,
          deciding.holds(mail.messageId),
        ),
    });
    if (isStopped()) return;
    const gate = makeNameGate(guest, identity);
    desk = makeDesk({
      plan: {
        guest,
        tools,
        names: gate,
        decisions: deciding,
        namesOf: async (id) =>
          (await guest.reverseIdentify(id)).filter(
            (name) => !gate.isHidden(name),
          ),
        correspondents,
        self,
        model,
        prompt: makeSystemPrompt({ name: config.name }),
        window: makeContextWindow(contextOf(config)),
        summaries,
        guarantees,
        post,
        limits: { maxSteps: config.maxSteps, maxTokens: config.turnTokens },
        toolTimeoutMs: config.toolTimeoutMs,
        startTimer: powers.startTimer,
        makeId: powers.makeId,
      },
      store,
      recordOf: recovered.recordOf,
      router,
      lines,
      index,
      waiting,
      asides: makeAsides(),
      scheduler: makeScheduler({ slots: config.maxConcurrent, host }),
      doorkeeper: makeDoorkeeper({
        host,
        open: open.ids,
        budget,
        maxExchanges: config.maxExchanges,
        correspondents,
        post,
      }),
      host,
      maxUnattended: config.maxExchanges,
      untilNextDay: budget.untilNextDay,
      onEvent,
    });
    await deciding.recover(present);
    if (isStopped()) return;
    messages = guest.followMessages();
    const inbox = makeInbox({
      guest,
      self,
      isSettled: store.has,
      outbox: out,
      kept: recovered.kept,
      desk,
      decisions: deciding,
      onEvent,
    });
    void inbox
      .follow(messages)
      .then(() => stop('the inbox can be followed no more'));
    onEvent({ type: 'started', incarnation });
    await announce({ guest, post, config, model, unknown: open.unknown }).catch(
      (cause: unknown) => {
        onEvent({ type: 'trouble', during: 'announcing', cause });
      },
    );
  };

  const started = start();
  started.catch((cause: unknown) => {
    if (stopping.signal.aborted) return;
    onEvent({ type: 'trouble', during: 'starting', cause });
    stop('it could not start');
  });

  return harden({
    started,
    stop,
    interrupt: () => desk?.interrupt() ?? 0,
    whenSettled: (messageId: string) =>
      waiting.outcomeOf(messageId, async () => {
        await started;
        if (desk?.isAt(messageId) === true) return true;
        if (isSettled(messageId)) return false;
        const inbox = await guest.listMessages();
        return inbox.some((mail) => mail.messageId === messageId);
      }),
    status: () => ({
      ...countOpen(decisions?.open() ?? []),
      openTurns: desk?.openTurns() ?? 0,
      usage: desk?.usage() ?? { input: 0, cached: 0, output: 0 },
    }),
  });
};
harden(makeAgent);
