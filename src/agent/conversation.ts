import type { Correspondents } from '../endo/correspondent.ts';
import type { Guest } from '../endo/guest.ts';
import type { NameGate } from '../endo/name-gate.ts';
import type { Toolbox, TurnPowers } from '../guest-tools/turn-powers.ts';
import {
  hostToolDefinitions,
  strangerToolDefinitions,
} from '../guest-tools/tool-sets.ts';
import type { NamesOf } from '../proposal/proposal-text.ts';
import type { ChatModel, ToolCall } from '../model/chat.ts';
import { type Chain, chainMessages } from '../transcript/chain.ts';
import type { AdoptedTools } from '../tool/adopted-tools.ts';
import { dispatchCalls } from '../tool/dispatch.ts';
import { makeKeptResults } from '../tool/kept-results.ts';
import { boundText } from '../tool/render.ts';
import { makeToolSet } from '../tool/registry.ts';
import { watchTools } from '../tool/watch-tools.ts';
import { makeFolderGate } from './folder-gate.ts';
import { makeTurnAsking, noAsking } from './asking.ts';
import type { Decisions } from './decisions.ts';
import type { Ledger } from './ledger.ts';
import type { Occasion } from './occasion.ts';
import type { Post } from './post.ts';
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
  readonly chain: Chain;
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
};

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
  const { occasion, isTrusted, ledger, signal } = subject;
  if (isTrusted) await tools.whenReady();
  const guest = isTrusted ? watchTools(powers.guest, tools) : powers.guest;
  const kept = makeKeptResults();
  const { nodeId, correspondent, answering, text, preface } = occasion;
  const sender = await correspondents.describe(correspondent);
  // A quoted pet name, or `unknown-3f2a91`: what a folder can be called after.
  const label = sender.replaceAll(/[^A-Za-z0-9-]/gu, '').toLowerCase();
  const folder = `from-${label}`.slice(0, 128);
  const servesHost = correspondents.isHost(correspondent);
  const mailPowers = {
    guest,
    post,
    ledger,
    nodeId,
    answering,
    correspondent,
    servesHost,
    self,
    isOpen: (number: bigint) =>
      decisions.open().some((open) => open.number === number),
  };
  const turnPowers: TurnPowers = harden({
    directory: guest,
    mail: isTrusted
      ? makeFullTurnMail(mailPowers)
      : makeCorrespondentTurnMail(mailPowers, folder),
    asking: isTrusted
      ? makeTurnAsking({
          post,
          decisions,
          ledger,
          asker: {
            correspondent,
            askedBy: nodeId,
            answers: occasion.answers,
          },
          isAnswered: async (to) =>
            !servesHost && (await guest.identify(to)) === correspondent,
        })
      : noAsking,
    toolbox: isTrusted ? tools : noToolbox,
    names: isTrusted ? names : makeFolderGate(names, folder),
    describe: correspondents.describe,
    help: guest.help,
  });
  const registry = makeToolSet(
    isTrusted ? hostToolDefinitions : strangerToolDefinitions,
    turnPowers,
    ...(isTrusted ? [tools.source] : []),
    kept.source,
  );
  const runCalls = async (
    calls: readonly ToolCall[],
  ): Promise<readonly CallOutcome[]> => {
    const outcomes = await dispatchCalls(calls, {
      registry,
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
      inDoubt:
        !outcome.ok &&
        (outcome.failure === 'timeout' || outcome.failure === 'cancelled'),
    }));
  };
  return {
    model: powers.model,
    prompt: powers.prompt,
    history: chainMessages(subject.chain),
    opening: [...preface, isTrusted ? text : boundText(text)].join('\n'),
    schemas: registry.schemas,
    runCalls,
    ledger,
    limits: powers.limits,
    isTrusted,
    signal,
    isStopping: subject.isStopping,
    makeId: powers.makeId,
  };
};
harden(planTurn);
