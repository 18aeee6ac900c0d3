import { makeCorrespondents } from '../endo/correspondent.ts';
import type { Following, Guest, Mail } from '../endo/guest.ts';
import { makeNameGate } from '../endo/name-gate.ts';
import type { ChatModel, Usage } from '../model/chat.ts';
import type { Config } from '../config.ts';
import { staticToolNames } from '../guest-tools/tool-sets.ts';
import { makeAdoptedTools } from '../tool/adopted-tools.ts';
import { makeOpenIndex } from '../proposal/open-index.ts';
import type { OpenRecord } from '../proposal/open-record.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import { makeDoorkeeper } from './admission.ts';
import { announce } from './announcement.ts';
import { makeAsides } from './asides.ts';
import { makeDailyBudget } from './daily-budget.ts';
import { makeDecisions } from './decisions.ts';
import { makeDesk } from './desk.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeInbox } from './inbox.ts';
import { makeLease } from './lease.ts';
import { makeLines } from './lines.ts';
import { makeOutbound } from './outbound.ts';
import { makePost } from './post.ts';
import { makeSystemPrompt } from './prompt.ts';
import { makeRouter } from './router.ts';
import { loadSettled } from './settled-marks.ts';
import { makeScheduler } from './scheduler.ts';
import { makeWaiting } from './waiting.ts';

export type AgentPowers = {
  readonly guest: Guest;
  readonly model: ChatModel;
  readonly store: TranscriptStore;
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
    open.map(async (name) => ({ name, id: await guest.identify([name]) })),
  );
  return {
    ids: new Set(found.flatMap(({ id }) => (id === undefined ? [] : [id]))),
    unknown: found.flatMap(({ name, id }) => (id === undefined ? [name] : [])),
  };
};

const countOpen = (
  open: readonly OpenRecord[],
): Pick<AgentStatus, 'openProposals' | 'openRequests'> => {
  const proposals = open.filter(({ kind }) => kind === 'proposal').length;
  return { openProposals: proposals, openRequests: open.length - proposals };
};

/**
 * The agent: follows its guest's mail and answers it. Starts by itself; ends
 * by `stop`, by the loss of its lease, or with its daemon.
 */
export const makeAgent = (powers: AgentPowers): Agent => {
  const { guest, model, store, config, onEvent } = powers;
  const incarnation = powers.makeId();
  const waiting = makeWaiting();
  const stopping = new AbortController();
  const isStopped = (): boolean => stopping.signal.aborted;
  let desk: ReturnType<typeof makeDesk> | undefined;
  let decisions: ReturnType<typeof makeDecisions> | undefined;
  let messages: Following<Mail> | undefined;

  const stop = (reason: string): void => {
    if (stopping.signal.aborted) return;
    stopping.abort();
    lease.close();
    tools.close();
    waiting.stop(Error(`The agent has stopped: ${reason}`));
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
    const [open, settled] = await Promise.all([
      resolveOpen(guest, config.open),
      loadSettled(guest),
      tools.start(),
    ]);
    const outbound = makeOutbound();
    const index = makeOpenIndex(guest);
    const post = makePost({
      guest,
      lease,
      outbound,
      isStopped,
      self: identity.self,
      isKnown: (messageId) => index.get(messageId) !== undefined,
    });
    const lines = makeLines();
    const router = makeRouter(store, {
      lines,
      openBy: (messageId) => index.get(messageId)?.correspondent,
    });
    const correspondents = makeCorrespondents(guest, identity);
    const { guestTokens: tokens } = config;
    const budget = makeDailyBudget({ tokens, now: powers.now });
    if (stopping.signal.aborted) return;
    decisions = makeDecisions({
      guest,
      host: identity.host,
      index,
      lines,
      isTold: async (messageId) => (await store.get(messageId)) !== undefined,
      onDecided: (decided) => desk?.takeDecided(decided),
      onEvent,
    });
    const names = makeNameGate(guest, identity);
    desk = makeDesk({
      plan: {
        guest,
        tools,
        names,
        decisions,
        namesOf: async (id) =>
          (await guest.reverseIdentify(id)).filter(
            (name) => !names.isHidden(name),
          ),
        correspondents,
        self: identity.self,
        model,
        prompt: makeSystemPrompt({ name: config.name }),
        post,
        limits: { maxSteps: config.maxSteps, maxTokens: config.turnTokens },
        toolTimeoutMs: config.toolTimeoutMs,
        startTimer: powers.startTimer,
        makeId: powers.makeId,
      },
      store,
      router,
      lines,
      index,
      waiting,
      asides: makeAsides(),
      scheduler: makeScheduler({
        slots: config.maxConcurrent,
        host: identity.host,
      }),
      doorkeeper: makeDoorkeeper({
        host: identity.host,
        open: open.ids,
        budget,
        maxExchanges: config.maxExchanges,
        correspondents,
        post,
      }),
      host: identity.host,
      maxUnattended: config.maxExchanges,
      untilNextDay: budget.untilNextDay,
      onEvent,
    });
    await decisions.recover((messageId) => settled.has(messageId));
    if (isStopped()) return;
    messages = guest.followMessages();
    const inbox = makeInbox({
      guest,
      self: identity.self,
      settled,
      outbound,
      router,
      desk,
      decisions,
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
        const [inbox, settled] = await Promise.all([
          guest.listMessages(),
          loadSettled(guest),
        ]);
        return inbox.some(
          (mail) =>
            mail.messageId === messageId && !settled.has(mail.messageId),
        );
      }),
    status: () => ({
      ...countOpen(decisions?.open() ?? []),
      openTurns: desk?.openTurns() ?? 0,
      usage: desk?.usage() ?? { input: 0, cached: 0, output: 0 },
    }),
  });
};
harden(makeAgent);
