import type { Correspondents } from '../endo/correspondent.ts';
import type { Guarantees, Guest } from '../endo/guest.ts';
import type { NameGate } from '../endo/name-gate.ts';
import type { Toolbox, TurnPowers } from '../guest-tools/turn-powers.ts';
import {
  hostToolDefinitions,
  strangerToolDefinitions,
} from '../guest-tools/tool-sets.ts';
import type { NamesOf } from '../proposal/proposal-text.ts';
import type { ChatModel, ToolCall, Usage } from '../model/chat.ts';
import type { Walk } from '../transcript/chain.ts';
import type { CallFacts, TurnHead } from '../transcript/entry.ts';
import type { RecordedStep } from '../transcript/recorded.ts';
import type { SummaryStore } from '../transcript/summaries.ts';
import type { AdoptedTools } from '../tool/adopted-tools.ts';
import { dispatchCalls, type Failure } from '../tool/dispatch.ts';
import { makeKeptResults } from '../tool/kept-results.ts';
import { boundText } from '../tool/render.ts';
import { makeToolSet, type Registry } from '../tool/registry.ts';
import { watchTools } from '../tool/watch-tools.ts';
import { makeCallEffects } from './call-effects.ts';
import { type CallNotes, makeCallNotes, recallFacts } from './call-notes.ts';
import { makeTurnContext } from './context.ts';
import type { ContextWindow } from './context-window.ts';
import { makeFolderGate } from './folder-gate.ts';
import { makeTurnAsking, noAsking } from './asking.ts';
import type { Decisions } from './decisions.ts';
import type { Ledger } from './ledger.ts';
import type { Occasion } from './occasion.ts';
import type { ContextEvent } from './past.ts';
import type { Post } from './post.ts';
import type { TurnRecord } from './turn-record.ts';
import type { TurnSending } from './turn-sending.ts';
import type { CallOutcome, TurnLimits, TurnPlan } from './turn-plan.ts';
import { makeCorrespondentTurnMail, makeFullTurnMail } from './turn-mail.ts';

/** What every turn of an agent is planned from. */
export type PlanPowers = {
  readonly guest: Guest;
  /** Those in `tools/`, for the HOST's turns. */
  readonly tools: AdoptedTools;
  readonly names: NameGate;
  readonly correspondents: Correspondents;
  readonly self: string;
  readonly model: ChatModel;
  readonly prompt: string;
  readonly window: ContextWindow;
  readonly summaries: SummaryStore;
  readonly guarantees: Guarantees;
  readonly post: Post;
  readonly decisions: Decisions;
  /** The guest's own names of a value, those for the model. */
  readonly namesOf: NamesOf;
  readonly limits: TurnLimits;
  readonly toolTimeoutMs: number;
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
  readonly makeId: () => string;
};

/** What this one turn is about. */
export type TurnSubject = {
  readonly occasion: Occasion;
  /** The HOST, or whom the HOST has opened: all tools, all mail. */
  readonly isTrusted: boolean;
  /** The conversation before. */
  readonly walk: Walk;
  readonly head: TurnHead;
  readonly record: TurnRecord;
  readonly sending: TurnSending;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
  /** What a summary cost. */
  readonly onSpent: (usage: Usage) => void;
  readonly onContextEvent: (event: ContextEvent) => void;
};

/** Of the tokens of a turn, those that summaries may cost. */
const SUMMARY_SHARE = 0.5;

/**
 * The message that a turn begins with.
 *
 * @param isTrusted - a stranger's message is bounded
 */
export const openingOf = (
  { preface, text }: Occasion,
  isTrusted: boolean,
): string => [...preface, isTrusted ? text : boundText(text)].join('\n');
harden(openingOf);

/** Failures after which a call may have taken effect, or may yet. */
const IN_DOUBT: ReadonlySet<Failure> = new Set([
  ...(['timeout', 'cancelled', 'interrupted'] as const),
]);

const noToolbox: Toolbox = harden({
  adopt: () => Promise.reject(Error('Only the HOST can have tools adopted')),
});

/**
 * Everything that one turn runs on. The powers are built here, for this
 * correspondent: what a stranger's turn does not hold, it cannot misuse.
 */
export const planTurn = async (
  powers: PlanPowers,
  subject: TurnSubject,
): Promise<TurnPlan> => {
  const { names, correspondents, post, self, decisions, tools } = powers;
  const { occasion, isTrusted, ledger, signal, head, record, sending } =
    subject;
  if (isTrusted) await tools.whenReady();
  const guest = isTrusted ? watchTools(powers.guest, tools) : powers.guest;
  const kept = makeKeptResults();
  const { nodeId, correspondent, answering } = occasion;
  const sender = await correspondents.describe(correspondent);
  // A quoted pet name, or `unknown-3f2a91`: what a folder can be called after.
  const label = sender.replaceAll(/[^A-Za-z0-9-]/gu, '').toLowerCase();
  const folder = `from-${label}`.slice(0, 128);
  const servesHost = correspondents.isHost(correspondent);
  const gate = isTrusted ? names : makeFolderGate(names, folder);

  /** Each call has its own, so that what it does is known to be its doing. */
  const makePowers = (callId: string, notes: CallNotes): TurnPowers => {
    const callSender = sending.senderFor(callId, notes.noteSent);
    const mailPowers = {
      guest,
      post,
      ledger: notes.ledger,
      sender: callSender,
      turns: head.turns,
      answering,
      correspondent,
      servesHost,
      self,
      isOpen: (number: bigint) =>
        decisions.open().some((open) => open.number === number),
    };
    const { answers } = occasion;
    const asker = { correspondent, askedBy: nodeId, answers };
    return harden({
      directory: guest,
      mail: isTrusted
        ? makeFullTurnMail(mailPowers)
        : makeCorrespondentTurnMail(mailPowers, folder),
      asking: isTrusted
        ? makeTurnAsking({
            post,
            decisions,
            ledger: notes.ledger,
            asker,
            sender: callSender,
            isAnswered: async (to) => {
              if (servesHost) return false;
              const at = await guest.locate(to);
              // By an agent's name its handle is not known: it may be his.
              return at?.type !== 'handle' || at.id === correspondent;
            },
          })
        : noAsking,
      toolbox: isTrusted ? tools : noToolbox,
      names: gate,
      describe: correspondents.describe,
      help: guest.help,
    });
  };
  const makeTools = (callId: string, notes: CallNotes): Registry =>
    makeToolSet(
      isTrusted ? hostToolDefinitions : strangerToolDefinitions,
      makePowers(callId, notes),
      ...(isTrusted ? [tools.source] : []),
      kept.source,
    );
  const offered = makeTools('', makeCallNotes(ledger));

  const runCalls = async (
    calls: readonly ToolCall[],
    past: RecordedStep | undefined,
  ): Promise<readonly CallOutcome[]> => {
    const notes = new Map(calls.map((call) => [call, makeCallNotes(ledger)]));
    const notesOf = (call: ToolCall): CallNotes =>
      notes.get(call) ?? makeCallNotes(ledger);
    const beforeRun = makeCallEffects({
      guest: powers.guest,
      names: gate,
      guarantees: powers.guarantees,
      correspondent,
      record,
      past,
    });
    const outcomes = await dispatchCalls(calls, {
      registry: offered,
      registryFor: (call) => makeTools(call.id, notesOf(call)),
      beforeRun: (call, effect, args) =>
        beforeRun(call, effect, args, notesOf(call)),
      timeoutMs: powers.toolTimeoutMs,
      startTimer: powers.startTimer,
      signal,
      keepRest: kept.keepRest,
    });
    return outcomes.map((outcome) => ({
      call: outcome.call,
      content: outcome.content,
      isError: outcome.isError,
      changes: outcome.effect !== 'read',
      inDoubt: !outcome.ok && IN_DOUBT.has(outcome.failure),
      facts: notesOf(outcome.call).facts(),
    }));
  };

  return {
    context: makeTurnContext({
      model: powers.model,
      prompt: powers.prompt,
      window: powers.window,
      walk: subject.walk,
      summaries: powers.summaries,
      signal,
      summaryTokens: Math.floor(powers.limits.maxTokens * SUMMARY_SHARE),
      onSpent: subject.onSpent,
      onEvent: subject.onContextEvent,
    }),
    history: subject.walk.nodes.flatMap(({ messages }) => messages),
    opening: head.opening,
    record,
    schemas: offered.schemas,
    runCalls,
    recall: (facts: CallFacts) => {
      recallFacts(ledger, facts);
      for (const sent of facts.sent) sending.recall(sent);
    },
    ledger,
    limits: powers.limits,
    isTrusted,
    signal,
    isStopping: subject.isStopping,
    makeId: powers.makeId,
  };
};
harden(planTurn);
