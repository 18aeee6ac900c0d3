/**
 * The agent as an unconfined caplet of a guest: the only file that joins the
 * agent and its providers, and the only one that holds ambient authority
 * (network, clock, timers, randomness, the worker's log).
 */
import { makeExo } from '@endo/exo';
import { E } from '@endo/far';
import { M } from '@endo/patterns';

import { createModel } from '../providers/index.ts';
import { type Agent, type AgentPowers, makeAgent } from './agent/agent.ts';
import type { AgentEvent } from './agent/events.ts';
import { type Config, type Env, parseConfig } from './config.ts';
import { connectGuest } from './endo/generation.ts';
import type { ChatModel } from './model/chat.ts';
import { withContinuation } from './model/continuation.ts';
import { withMessageLimit } from './model/message-limit.ts';
import { withRetry } from './model/retry.ts';
import { type SetTimer, makeWait, withTimeout } from './model/timeout.ts';

const MAX_ATTEMPTS = 4;

const TokensShape = {
  input: M.bigint(),
  cached: M.bigint(),
  output: M.bigint(),
};

const HobI = M.interface('Hob', {
  help: M.call().returns(M.string()),
  whenReady: M.callWhen().returns(M.undefined()),
  status: M.callWhen().returns(
    M.splitRecord(
      {
        name: M.string(),
        provider: M.string(),
        model: M.string(),
        openTurns: M.bigint(),
        openProposals: M.bigint(),
        openRequests: M.bigint(),
        tokens: M.splitRecord(TokensShape, {}, {}),
      },
      {},
      {},
    ),
  ),
  interrupt: M.callWhen().returns(M.bigint()),
  whenSettled: M.callWhen(M.string()).returns(
    M.splitRecord(
      { outcome: M.or('answered', 'silent', 'failed', 'waiting') },
      {},
      {},
    ),
  ),
  runsWith: M.callWhen(M.recordOf(M.string(), M.string())).returns(M.boolean()),
});

const HELP = `Hob, an agent. It answers the mail of its guest. Methods:
whenReady() - resolves when it follows its mail and has said that it is ready
status() - its name, model, open turns, proposals and requests, and tokens used since it started
interrupt() - end the running turns of its HOST; how many there were
whenSettled(messageId) - resolves when the turn that answers this message is over
runsWith(env) - whether it runs with exactly these settings
help() - this text`;

const startTimer = (delayMs: number, fire: () => void): (() => void) => {
  const timer = setTimeout(fire, delayMs);
  return () => clearTimeout(timer);
};

const setTimer: SetTimer = (callback, delayMs) => startTimer(delayMs, callback);

/** One line an event, for the worker's log. Events carry no text of mail. */
const logEvent = (event: AgentEvent): void => {
  if (event.type === 'trouble') {
    const { cause } = event;
    // A daemon quotes what it refuses, which may be the text of a message.
    const why =
      cause instanceof Error
        ? cause.message.slice(0, 120).replaceAll(/"[^"]*("|$)/gu, '"…"')
        : 'unknown cause';
    console.error(`hob: trouble during ${event.during}: ${why}`);
    return;
  }
  const facts = Object.entries(event)
    .filter(([key]) => key !== 'type')
    .map(([key, value]) =>
      typeof value === 'object'
        ? `${key}=${JSON.stringify(value)}`
        : `${key}=${String(value)}`,
    );
  console.log(`hob: ${[event.type, ...facts].join(' ')}`);
};

/** The configured model: with time limits, retries and all. */
export const prepareModel = async (config: Config): Promise<ChatModel> => {
  const { timeoutMs, maxMessages } = config.model;
  const bare = await createModel(config.model, { fetch: globalThis.fetch });
  const patient = withRetry(withTimeout(bare, { timeoutMs, setTimer }), {
    wait: makeWait(setTimer),
    random: Math.random,
    maxAttempts: MAX_ATTEMPTS,
  });
  const whole = withContinuation(patient);
  // Outermost, so that no follow-up of one answer counts as a message.
  return maxMessages === undefined
    ? whole
    : withMessageLimit(whole, maxMessages);
};

harden(prepareModel);

/** The agent with this process's clock, timers and randomness. */
export const composeAgent = (
  parts: Pick<AgentPowers, 'guest' | 'model' | 'config' | 'onEvent'>,
): Agent =>
  makeAgent({
    ...parts,
    now: () => Date.now(),
    startTimer,
    makeId: () => globalThis.crypto.randomUUID(),
  });
harden(composeAgent);

/** The settings that matter: which provisioning they came by does not. */
const settingsOf = (env: Env): string =>
  JSON.stringify(
    Object.entries(env)
      .filter(([name, value]) => name !== 'HOB_PROVISION' && value !== '')
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/**
 * Make the agent. Never awaits a remote reference, or reincarnation would
 * deadlock; rejects when the settings are wrong, so that whoever provisions it
 * is told.
 *
 * @param powers - far reference to a guest, or a promise for one
 * @param context - the caplet's life cycle, far
 */
export const make = async (
  powers: unknown,
  context: unknown,
  { env = {} }: { readonly env?: Env } = {},
): Promise<unknown> => {
  const config = parseConfig(env);
  const model = await prepareModel(config);

  let isCancelled = false;
  const running: Promise<Agent> = connectGuest(powers).then((guest) => {
    // By now the guest may belong to another incarnation.
    if (isCancelled) throw Error('The agent was cancelled before it started');
    return composeAgent({ guest, model, config, onEvent: logEvent });
  });
  running.catch((cause: unknown) => {
    logEvent({ type: 'trouble', during: 'connecting to the guest', cause });
  });

  const whenCancelled = E(
    context as { whenCancelled: () => Promise<never> },
  ).whenCancelled();
  whenCancelled.catch(async (reason: unknown) => {
    isCancelled = true;
    const agent = await running.catch(() => undefined);
    agent?.stop(reason instanceof Error ? reason.message : 'cancelled');
  });

  return makeExo('Hob', HobI, {
    help: () => HELP,
    whenReady: async () => (await running).started,
    status: async () => {
      const { openTurns, openProposals, openRequests, usage } = (
        await running
      ).status();
      return harden({
        name: config.name,
        provider: model.provider,
        model: model.model,
        openTurns: BigInt(openTurns),
        openProposals: BigInt(openProposals),
        openRequests: BigInt(openRequests),
        tokens: {
          input: BigInt(usage.input),
          cached: BigInt(usage.cached),
          output: BigInt(usage.output),
        },
      });
    },
    interrupt: async () => BigInt((await running).interrupt()),
    whenSettled: async (messageId: string) =>
      harden({ outcome: await (await running).whenSettled(messageId) }),
    runsWith: (other: Env) =>
      Promise.resolve(settingsOf(other) === settingsOf(env)),
  });
};
harden(make);
