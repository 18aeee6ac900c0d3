import type {
  AssistantMessage,
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  ToolCall,
} from '../model/chat.ts';
import { ModelError } from '../model/model-error.ts';
import { visibleText } from '../model/text-tool-calls.ts';
import { addUsage, noUsage, usageOf } from '../model/usage.ts';
import { readCalls } from './answer-calls.ts';
import { refuseExcess } from './call-limits.ts';
import { closeTurn } from './closing.ts';
import {
  interruptedNotice,
  modelErrorNotice,
  repeatNotice,
  stepsNotice,
  tokensNotice,
} from './notice.ts';
import { makeRepetition } from './repetition.ts';
import type {
  CallOutcome,
  TurnEnd,
  TurnPlan,
  TurnResult,
} from './turn-plan.ts';

const ASK_AGAIN = 'You ended without an answer. Answer now in prose.';
const OR_DISMISS = ' If the message wants no answer, call dismiss.';

/** The calls of one answer, those beyond its limits refused in their place. */
const runWithinLimits = async (
  { runCalls, signal }: TurnPlan,
  calls: readonly ToolCall[],
): Promise<readonly CallOutcome[]> => {
  const excess = refuseExcess(calls);
  const admitted = calls.filter((call) => !excess.has(call));
  const ran = await runCalls(admitted, signal);
  return calls.flatMap((call): readonly CallOutcome[] => {
    const content = excess.get(call);
    if (content === undefined) return ran.filter((each) => each.call === call);
    const refused = { isError: true, changes: false, inDoubt: false };
    return [{ call, content, ...refused }];
  });
};

/** A turn under way. Each stage resolves to an end, or to nothing: go on. */
const makeTurn = (plan: TurnPlan) => {
  const { ledger, limits, signal } = plan;
  const messages: ChatMessage[] = [{ role: 'user', content: plan.opening }];
  const repetition = makeRepetition();
  let usage = noUsage;
  let askedAgain = false;
  let besideDismissal = '';

  const notice = (text: string, failed = false): TurnEnd => ({
    type: 'notice',
    text,
    failed,
  });

  const whenAborted = (): TurnEnd | undefined => {
    if (!signal.aborted) return undefined;
    return plan.isStopping()
      ? { type: 'abandoned' }
      : notice(interruptedNotice(ledger.done()));
  };

  const makeRequest = (): ChatRequest => ({
    messages: [
      { role: 'system', content: plan.prompt },
      ...plan.history,
      ...messages,
    ],
    tools: plan.schemas(),
    signal,
  });

  const ask = async (request: ChatRequest): Promise<ChatAnswer | TurnEnd> => {
    try {
      const answer = await plan.model.chat(request);
      const spent = usageOf(request, answer);
      usage = addUsage(usage, spent);
      plan.onAnswer?.(answer, spent);
      return answer;
    } catch (error) {
      const aborted = whenAborted();
      if (aborted !== undefined) return aborted;
      if (!(error instanceof ModelError)) throw error;
      plan.onModelError?.(error);
      const told = plan.isTrusted ? error : undefined;
      return notice(modelErrorNotice(told, ledger.done()), true);
    }
  };

  const runTools = async ({
    content: said,
    toolCalls,
  }: AssistantMessage): Promise<TurnEnd | undefined> => {
    const onlyDismisses = toolCalls.every(({ name }) => name === 'dismiss');
    besideDismissal = onlyDismisses ? visibleText(said) || besideDismissal : '';
    let repeated: string | undefined;
    for (const outcome of await runWithinLimits(plan, toolCalls)) {
      const { call, content, isError, changes, inDoubt } = outcome;
      const { id: callId, name, argumentsText } = call;
      messages.push({ role: 'tool', callId, content, isError });
      ledger.noteCall({ name, ok: !isError, changes, inDoubt });
      plan.onOutcome?.(outcome);
      if (repetition.note({ name, argumentsText, content })) repeated = name;
    }
    if (repeated === undefined || signal.aborted) return whenAborted();
    return notice(repeatNotice(repeated, ledger.done()));
  };

  const close = (
    answer: ChatAnswer,
    { tools }: ChatRequest,
  ): TurnEnd | undefined => {
    const end = closeTurn({ answer, ledger, besideDismissal, askedAgain });
    if (end !== 'ask-again') return end;
    askedAgain = true;
    const mayDismiss = tools.some((tool) => tool.function.name === 'dismiss');
    const content = mayDismiss ? ASK_AGAIN + OR_DISMISS : ASK_AGAIN;
    messages.push({ role: 'user', content });
    return undefined;
  };

  const takeStep = async (): Promise<TurnEnd | undefined> => {
    const request = makeRequest();
    const answer = await ask(request);
    if ('type' in answer) return answer;
    const aborted = whenAborted();
    if (aborted !== undefined) return aborted;
    const conversation = [...plan.history, ...messages];
    const read = readCalls(answer.message, conversation, plan.makeId);
    const { message, problems } = read;
    messages.push(message);
    let end: TurnEnd | undefined;
    if (message.toolCalls.length > 0) end = await runTools(message);
    else if (problems.length === 0)
      end = close({ ...answer, message }, request);
    if (problems.length > 0) {
      messages.push({ role: 'user', content: problems.join('\n') });
    }
    return end;
  };

  return {
    takeStep: async (): Promise<TurnEnd | undefined> =>
      whenAborted() ?? takeStep(),
    whenSpent: (): TurnEnd | undefined => {
      const spent = usage.input + usage.output;
      return spent < limits.maxTokens
        ? undefined
        : notice(tokensNotice(spent, ledger.done()));
    },
    whenStepsAreUp: (): TurnEnd =>
      notice(stepsNotice(limits.maxSteps, ledger.done())),
    finish: (end: TurnEnd): TurnResult => {
      // The conversation goes on from what the correspondent was told.
      if (end.type === 'notice') {
        messages.push({ role: 'assistant', content: end.text, toolCalls: [] });
      }
      return harden({ end, messages: [...messages], usage });
    },
  };
};

/**
 * One message, answered: the model and its tools take turns until the model
 * has nothing more to do, or a guard ends it.
 *
 * Contract: rejects only for defects; every failure of the model, a tool or a
 * limit is a `TurnEnd`.
 */
export const runTurn = async (plan: TurnPlan): Promise<TurnResult> => {
  const turn = makeTurn(plan);
  for (let step = 0; step < plan.limits.maxSteps; step += 1) {
    const end = (await turn.takeStep()) ?? turn.whenSpent();
    if (end !== undefined) return turn.finish(end);
  }
  return turn.finish(turn.whenStepsAreUp());
};
harden(runTurn);
