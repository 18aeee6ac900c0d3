import type {
  AssistantMessage,
  ChatAnswer,
  ChatMessage,
  ChatModel,
  ChatRequest,
  ToolCall,
  ToolSchema,
  Usage,
} from '../model/chat.ts';
import { ModelError } from '../model/model-error.ts';
import { extractToolCalls, visibleText } from '../model/text-tool-calls.ts';
import { addUsage, noUsage, usageOf } from '../model/usage.ts';
import { refuseExcess } from './call-limits.ts';
import type { Ledger } from './ledger.ts';
import {
  cutOffNotice,
  interruptedNotice,
  modelErrorNotice,
  noAnswerNotice,
  refusalNotice,
  repeatNotice,
  stepsNotice,
  tokensNotice,
} from './notice.ts';
import { makeRepetition } from './repetition.ts';

/** What came of one tool call; `content` is what the model reads. */
export type CallOutcome = {
  readonly call: ToolCall;
  readonly content: string;
  readonly isError: boolean;
  /** The call may have changed something. */
  readonly changes: boolean;
  /** It timed out or was cancelled, and may have taken effect. */
  readonly inDoubt: boolean;
};

/** How a turn ended, before anything is sent. */
export type TurnEnd =
  /** To be sent as the closing reply. */
  | { readonly type: 'text'; readonly text: string }
  /** The correspondent has been written to, or silence is wished: send nothing. */
  | { readonly type: 'messaged' | 'silent' }
  /** To be sent as the closing reply, in Hob's own words. */
  | { readonly type: 'notice'; readonly text: string; readonly failed: boolean }
  /** The agent is stopping: nothing is sent, the message stays in the inbox. */
  | { readonly type: 'abandoned' };

export type TurnResult = {
  readonly end: TurnEnd;
  /** What the turn appends to its conversation, the opening message first. */
  readonly messages: readonly ChatMessage[];
  readonly usage: Usage;
};

export type TurnLimits = {
  /** Model calls. */
  readonly maxSteps: number;
  /** Input and output tokens of all model calls together. */
  readonly maxTokens: number;
};

export type TurnPlan = {
  readonly model: ChatModel;
  readonly prompt: string;
  /** The conversation so far, without a system prompt. */
  readonly history: readonly ChatMessage[];
  /** The header and body of the message that this turn answers. */
  readonly opening: string;
  /** Asked before each model call, so that an adopted tool is there at once. */
  readonly schemas: () => readonly ToolSchema[];
  /** Contract: never rejects; outcomes in the order of the calls. */
  readonly runCalls: (
    calls: readonly ToolCall[],
    signal: AbortSignal,
  ) => Promise<readonly CallOutcome[]>;
  readonly ledger: Ledger;
  readonly limits: TurnLimits;
  /** Aborted to end this turn: by the HOST, or because the agent stops. */
  readonly signal: AbortSignal;
  /** Whether the abort means that the agent itself is stopping. */
  readonly isStopping: () => boolean;
  readonly makeId: () => string;
  /** The HOST may be told what is wrong with its model; others may not. */
  readonly isTrusted: boolean;
  readonly onAnswer?: (answer: ChatAnswer, usage: Usage) => void;
  readonly onModelError?: (error: ModelError) => void;
  readonly onOutcome?: (outcome: CallOutcome) => void;
};

const ASK_AGAIN = 'You ended without an answer. Answer now in prose.';
const OR_DISMISS = ' If the message wants no answer, call dismiss.';

/** Structured calls as they are; those written as text made structured. */
const readCalls = (
  message: AssistantMessage,
  makeId: () => string,
  isQuoted: (source: string) => boolean,
): {
  readonly message: AssistantMessage;
  readonly problems: readonly string[];
} => {
  if (message.toolCalls.length > 0) return { message, problems: [] };
  const found = extractToolCalls(message.content, { makeId, isQuoted });
  const { content, toolCalls, problems } = found;
  return toolCalls.length === 0
    ? { message, problems }
    : { message: { role: 'assistant', content, toolCalls }, problems };
};

/**
 * One message, answered: the model and its tools take turns until the model
 * has nothing more to do, or a guard ends it.
 *
 * Contract: rejects only for defects; every failure of the model, a tool or a
 * limit is a `TurnEnd`.
 */
export const runTurn = async (plan: TurnPlan): Promise<TurnResult> => {
  const { ledger, limits, signal } = plan;
  const messages: ChatMessage[] = [{ role: 'user', content: plan.opening }];
  const repetition = makeRepetition();
  let usage = noUsage;
  let askedAgain = false;
  // Some models say the answer and dismiss the question in one breath.
  let besideDismissal = '';

  const finish = (end: TurnEnd): TurnResult => {
    // The conversation goes on from what the correspondent was told.
    if (end.type === 'notice') {
      messages.push({ role: 'assistant', content: end.text, toolCalls: [] });
    }
    return harden({ end, messages: [...messages], usage });
  };
  const notice = (text: string, failed = false): TurnResult =>
    finish({ type: 'notice', text, failed });
  const isAborted = (): boolean => signal.aborted;
  const aborted = (): TurnResult =>
    plan.isStopping()
      ? finish({ type: 'abandoned' })
      : notice(interruptedNotice(ledger.done()));

  /** What ends the turn when the model asks for nothing more. */
  const closing = (answer: ChatAnswer): TurnEnd | 'ask-again' => {
    const text = visibleText(answer.message.content) || besideDismissal;
    if (answer.stop === 'length') {
      return {
        type: 'notice',
        text: cutOffNotice(text, ledger.done()),
        failed: text === '',
      };
    }
    if (ledger.endedWithMessage()) return { type: 'messaged' };
    if (text !== '') return { type: 'text', text };
    if (ledger.wishesSilence()) return { type: 'silent' };
    if (ledger.messagedCorrespondent()) return { type: 'messaged' };
    if (answer.stop === 'refusal') {
      return {
        type: 'notice',
        text: refusalNotice(ledger.done()),
        failed: true,
      };
    }
    if (!askedAgain) return 'ask-again';
    return {
      type: 'notice',
      text: noAnswerNotice(ledger.done()),
      failed: true,
    };
  };

  const runStep = async (
    calls: readonly ToolCall[],
  ): Promise<TurnResult | undefined> => {
    const excess = refuseExcess(calls);
    const ran = await plan.runCalls(
      calls.filter((call) => !excess.has(call)),
      signal,
    );
    const outcomes = calls.flatMap((call): readonly CallOutcome[] => {
      const content = excess.get(call);
      if (content === undefined)
        return ran.filter((each) => each.call === call);
      const refused = { isError: true, changes: false, inDoubt: false };
      return [{ call, content, ...refused }];
    });
    let repeated: string | undefined;
    for (const outcome of outcomes) {
      const { call, content, isError, changes, inDoubt } = outcome;
      messages.push({ role: 'tool', callId: call.id, content, isError });
      ledger.noteCall({ name: call.name, ok: !isError, changes, inDoubt });
      plan.onOutcome?.(outcome);
      const { name, argumentsText } = call;
      if (repetition.note({ name, argumentsText, content })) repeated = name;
    }
    if (isAborted()) return aborted();
    return repeated === undefined
      ? undefined
      : notice(repeatNotice(repeated, ledger.done()));
  };

  /** What others wrote is not the model's own call, though it repeats it. */
  const isQuoted = (json: string): boolean =>
    [...plan.history, ...messages].some(
      ({ role, content }) =>
        role !== 'assistant' &&
        (content.includes(json) ||
          content.includes(JSON.stringify(json).slice(1, -1))),
    );

  for (let step = 0; step < limits.maxSteps; step += 1) {
    if (isAborted()) return aborted();
    const request: ChatRequest = {
      messages: [
        { role: 'system', content: plan.prompt },
        ...plan.history,
        ...messages,
      ],
      tools: plan.schemas(),
      signal,
    };
    let answer: ChatAnswer;
    try {
      answer = await plan.model.chat(request);
    } catch (error) {
      if (isAborted()) return aborted();
      if (!(error instanceof ModelError)) throw error;
      plan.onModelError?.(error);
      const told = plan.isTrusted ? error : undefined;
      return notice(modelErrorNotice(told, ledger.done()), true);
    }
    if (isAborted()) return aborted();
    const spentNow = usageOf(request, answer);
    usage = addUsage(usage, spentNow);
    plan.onAnswer?.(answer, spentNow);
    const { message, problems } = readCalls(
      answer.message,
      plan.makeId,
      isQuoted,
    );
    messages.push(message);

    if (message.toolCalls.length > 0) {
      const said = visibleText(message.content);
      const onlyDismisses = message.toolCalls.every(
        ({ name }) => name === 'dismiss',
      );
      besideDismissal = onlyDismisses ? said || besideDismissal : '';
      const ended = await runStep(message.toolCalls);
      if (ended !== undefined) return ended;
    } else if (problems.length === 0) {
      const end = closing({ ...answer, message });
      if (end !== 'ask-again') return finish(end);
      askedAgain = true;
      const mayDismiss = request.tools.some(
        (tool) => tool.function.name === 'dismiss',
      );
      const content = mayDismiss ? ASK_AGAIN + OR_DISMISS : ASK_AGAIN;
      messages.push({ role: 'user', content });
    }
    if (problems.length > 0) {
      messages.push({ role: 'user', content: problems.join('\n') });
    }
    const spent = usage.input + usage.output;
    if (spent >= limits.maxTokens) {
      return notice(tokensNotice(spent, ledger.done()));
    }
  }
  return notice(stepsNotice(limits.maxSteps, ledger.done()));
};
harden(runTurn);
