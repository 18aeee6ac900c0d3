import { E } from '@endo/far';

import type { ToolCall } from '../model/chat.ts';
import { parseArgumentText } from './argument-text.ts';
import type { Effect } from './fae-tool.ts';
import { nearNames } from './near-names.ts';
import type { Registry, ToolEntry } from './registry.ts';
import { boundText, describeError, render } from './render.ts';

/** Why a call has no result. All but the last four: the tool did not run. */
export type Failure =
  | 'unknown-tool'
  | 'bad-arguments'
  | 'not-started'
  | 'tool-error'
  | 'timeout'
  | 'cancelled'
  /** It began in an earlier incarnation; what became of it is not known. */
  | 'interrupted';

type OutcomeBase = {
  readonly call: ToolCall;
  /** The function name that the model used. */
  readonly name: string;
  /** What the call may have done; `read` when the tool did not run. */
  readonly effect: Effect;
  /** For the model; bounded. */
  readonly content: string;
};

export type ToolOutcome =
  | (OutcomeBase & { readonly ok: true; readonly isError: false })
  | (OutcomeBase & {
      readonly ok: false;
      readonly isError: true;
      readonly failure: Failure;
    });

/** What became of a call in an earlier incarnation. */
export type KnownOutcome =
  | { readonly type: 'done'; readonly value: unknown }
  | { readonly type: 'unknown'; readonly content: string };

export type DispatchPowers = {
  readonly registry: Registry;
  /** For one call, in milliseconds (`LAL_TOOL_TIMEOUT_MS`). */
  readonly timeoutMs: number;
  /** Calls `fire` once after the delay; returns what stops it. */
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
  /** Of the turn: no call starts after it, and none is waited for. */
  readonly signal: AbortSignal;
  /** The tools as this one call has them, when each has its own. */
  readonly registryFor?: (call: ToolCall) => Registry;
  /**
   * Asked before a tool runs. Rejects when it must not run.
   *
   * @returns what is known of this very call already, if anything
   */
  readonly beforeRun?: (
    call: ToolCall,
    effect: Effect,
    args: { readonly [name: string]: unknown },
  ) => Promise<KnownOutcome | undefined>;
  /** Keeps a result that was cut; returns how to read on after what is shown. */
  readonly keepRest?: (whole: string, shown: number) => string;
};

const fail = (
  call: ToolCall,
  failure: Failure,
  content: string,
  effect: Effect = 'read',
): ToolOutcome =>
  harden({
    call,
    name: call.name,
    effect,
    content: boundText(content),
    ok: false,
    isError: true,
    failure,
  });

const failUnknown = (call: ToolCall, registry: Registry): ToolOutcome => {
  const withheld = registry.whyNot(call.name);
  if (withheld !== undefined) {
    return fail(
      call,
      'unknown-tool',
      `${call.name} is not on offer now: ${withheld}.`,
    );
  }
  const names = registry.schemas().map((schema) => schema.function.name);
  const near = nearNames(call.name, names);
  const advice =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : 'Use one of these.';
  const shown = JSON.stringify(call.name.slice(0, 80));
  return fail(
    call,
    'unknown-tool',
    `There is no tool ${shown}. ${advice} Tools: ${names.join(', ')}.`,
  );
};

type Ending =
  | { readonly type: 'result'; readonly value: unknown }
  | { readonly type: 'failed'; readonly error: unknown }
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

/** Contract: never rejects; leaves no timer and no listener behind. */
const waitFor = async (
  running: Promise<unknown>,
  { timeoutMs, startTimer, signal }: DispatchPowers,
): Promise<Ending> =>
  new Promise((resolve) => {
    const cancel = () => end({ type: 'cancelled' });
    const stopTimer = startTimer(timeoutMs, () => end({ type: 'timeout' }));
    const end = (ending: Ending) => {
      stopTimer();
      signal.removeEventListener('abort', cancel);
      resolve(ending);
    };
    signal.addEventListener('abort', cancel);
    running.then(
      (value) => end({ type: 'result', value }),
      (error: unknown) => end({ type: 'failed', error }),
    );
  });

// A formula id or a locator is authority, and what a daemon says of a failure
// may hold one. No tool takes them, so none is missed.
const IDS = /endo:\/\/\S+|[0-9a-f]{64,}:[0-9a-f]{64,}/giu;

const doubt = (effect: Effect): string =>
  effect === 'once'
    ? 'Whether it took effect is unknown: check before you repeat it.'
    : 'It may be called again.';

const execute = async (
  call: ToolCall,
  { tool, effect, name }: ToolEntry,
  args: { readonly [name: string]: unknown },
  powers: DispatchPowers,
): Promise<ToolOutcome> => {
  const ending = await waitFor(E(tool).execute(harden(args)), powers);
  switch (ending.type) {
    case 'result': {
      const content = boundText(
        render(ending.value),
        undefined,
        powers.keepRest,
      );
      return harden({ call, name, effect, content, ok: true, isError: false });
    }
    case 'failed':
      return fail(
        call,
        'tool-error',
        `${name} failed: ${describeError(ending.error).replace(IDS, '(an id)')}`,
        effect,
      );
    case 'timeout':
      return fail(
        call,
        'timeout',
        `${name} gave no result within ${powers.timeoutMs} ms. ${doubt(effect)}`,
        effect,
      );
    case 'cancelled':
      return fail(
        call,
        'cancelled',
        `The turn was cancelled while ${name} ran. ${doubt(effect)}`,
        effect,
      );
  }
};

/**
 * One call, through its stages: find, parse, decode, execute, render.
 *
 * Contract: never rejects. A call costs at most `timeoutMs`.
 */
export const dispatchCall = async (
  call: ToolCall,
  powers: DispatchPowers,
): Promise<ToolOutcome> => {
  const registry = powers.registryFor?.(call) ?? powers.registry;
  const entry = registry.find(call.name);
  if (entry === undefined) {
    return failUnknown(call, powers.registry);
  }
  let args;
  try {
    args = entry.decode(parseArgumentText(call.argumentsText));
  } catch (error) {
    return fail(call, 'bad-arguments', describeError(error));
  }
  if (powers.signal.aborted) {
    return fail(
      call,
      'not-started',
      `${call.name} did not run: the turn was cancelled before.`,
    );
  }
  const { effect, name } = entry;
  if (powers.beforeRun === undefined) return execute(call, entry, args, powers);
  let known;
  try {
    known = await powers.beforeRun(call, effect, args);
  } catch (error) {
    const why = describeError(error).replace(IDS, '(an id)');
    return fail(call, 'not-started', `${name} did not run: ${why}`);
  }
  if (known === undefined) return execute(call, entry, args, powers);
  if (known.type === 'unknown') {
    return fail(call, 'interrupted', known.content, effect);
  }
  const content = boundText(render(known.value));
  return harden({ call, name, effect, content, ok: true, isError: false });
};
harden(dispatchCall);

/**
 * All calls of one answer: in parallel when all of them only read, else one
 * after the other. Outcomes are in the order of the calls.
 *
 * Contract: never rejects.
 */
export const dispatchCalls = async (
  calls: readonly ToolCall[],
  powers: DispatchPowers,
): Promise<readonly ToolOutcome[]> => {
  const onlyRead = calls.every(
    ({ name }) => (powers.registry.find(name)?.effect ?? 'read') === 'read',
  );
  if (onlyRead) {
    return harden(
      await Promise.all(calls.map((call) => dispatchCall(call, powers))),
    );
  }
  const outcomes: ToolOutcome[] = [];
  for (const call of calls) {
    outcomes.push(await dispatchCall(call, powers));
  }
  return harden(outcomes);
};
harden(dispatchCalls);
