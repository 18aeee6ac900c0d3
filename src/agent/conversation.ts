import type { Guest, Mail } from '../endo/guest.ts';
import { type Correspondents, messageText } from '../endo/correspondent.ts';
import type { NameGate } from '../endo/name-gate.ts';
import type { TurnPowers } from '../guest-tools/turn-powers.ts';
import {
  hostToolDefinitions,
  strangerToolDefinitions,
} from '../guest-tools/tool-sets.ts';
import type { ChatModel, ToolCall } from '../model/chat.ts';
import { type Chain, chainMessages } from '../transcript/chain.ts';
import { dispatchCalls } from '../tool/dispatch.ts';
import { boundText } from '../tool/render.ts';
import { makeToolSet } from '../tool/registry.ts';
import { makeFolderGate } from './folder-gate.ts';
import type { Ledger } from './ledger.ts';
import type { Post } from './post.ts';
import type { CallOutcome, TurnLimits, TurnPlan } from './turn-plan.ts';
import { makeCorrespondentTurnMail, makeFullTurnMail } from './turn-mail.ts';

/** What every turn of an agent is planned from. */
export type PlanPowers = {
  readonly guest: Guest;
  readonly names: NameGate;
  readonly correspondents: Correspondents;
  readonly self: string;
  readonly model: ChatModel;
  readonly prompt: string;
  readonly post: Post;
  readonly limits: TurnLimits;
  readonly toolTimeoutMs: number;
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
  readonly makeId: () => string;
};

/** What this one turn is about. */
export type TurnSubject = {
  readonly mail: Mail;
  /** The HOST, or whom the HOST has opened: all tools, all mail. */
  readonly isTrusted: boolean;
  readonly chain: Chain;
  /** Lines that go before the message: what it answers, what else happened. */
  readonly preface: readonly string[];
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
  readonly isStopping: () => boolean;
};

/**
 * Everything that one turn runs on. The powers are built here, for this
 * correspondent: what a stranger's turn does not hold, it cannot misuse.
 */
export const planTurn = async (
  powers: PlanPowers,
  subject: TurnSubject,
): Promise<TurnPlan> => {
  const { guest, names, correspondents, post, self } = powers;
  const { mail, isTrusted, ledger, signal } = subject;
  const sender = await correspondents.describe(mail.from);
  // A quoted pet name, or `unknown-3f2a91`: what a folder can be called after.
  const label = sender.replaceAll(/[^A-Za-z0-9-]/gu, '').toLowerCase();
  const folder = `from-${label}`.slice(0, 128);
  const mailPowers = {
    guest,
    post,
    ledger,
    answering: mail,
    correspondent: mail.from,
    self,
  };
  const turnPowers: TurnPowers = harden({
    directory: guest,
    mail: isTrusted
      ? makeFullTurnMail(mailPowers)
      : makeCorrespondentTurnMail(mailPowers, folder),
    names: isTrusted ? names : makeFolderGate(names, folder),
    describe: correspondents.describe,
    help: guest.help,
  });
  const text = messageText(mail, sender);
  const registry = makeToolSet(
    isTrusted ? hostToolDefinitions : strangerToolDefinitions,
    turnPowers,
  );
  const runCalls = async (
    calls: readonly ToolCall[],
  ): Promise<readonly CallOutcome[]> => {
    const outcomes = await dispatchCalls(calls, {
      registry,
      timeoutMs: powers.toolTimeoutMs,
      startTimer: powers.startTimer,
      signal,
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
    opening: [...subject.preface, isTrusted ? text : boundText(text)].join(
      '\n',
    ),
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
