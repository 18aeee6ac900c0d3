import type { AssistantMessage, ChatMessage, ToolCall } from '../model/chat.ts';
import { ModelError } from '../model/model-error.ts';
import { visibleText } from '../model/text-tool-calls.ts';
import { addUsage, noUsage, usageOf } from '../model/usage.ts';
import type { AnswerRecord, JournaledOutcome } from '../transcript/entry.ts';
import type { RecordedStep } from '../transcript/recorded.ts';
import { repairCalls } from '../transcript/repair.ts';
import { readCalls } from './answer-calls.ts';
import { refuseExcess } from './call-limits.ts';
import { noFacts } from './call-notes.ts';
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
  { runCalls }: TurnPlan,
  calls: readonly ToolCall[],
  past: RecordedStep | undefined,
): Promise<readonly CallOutcome[]> => {
  const excess = refuseExcess(calls);
  const admitted = calls.filter((call) => !excess.has(call));
  const ran = await runCalls(admitted, past);
  return calls.flatMap((call): readonly CallOutcome[] => {
    const content = excess.get(call);
    if (content === undefined) return ran.filter((each) => each.call === call);
    const refused = { isError: true, changes: false, inDoubt: false };
    return [{ call, content, ...refused, facts: noFacts }];
  });
};

/** As they were journaled, in the order of the calls. */
const recallOutcomes = (
  calls: readonly ToolCall[],
  results: readonly JournaledOutcome[],
): readonly CallOutcome[] =>
  calls.flatMap((call, index): readonly CallOutcome[] => {
    const result = results[index];
    if (result === undefined) return [];
    const { content, isError, changes, inDoubt, facts } = result;
    return [{ call, content, isError, changes, inDoubt, facts }];
  });

const toJournal = ({ call, ...outcome }: CallOutcome): JournaledOutcome => ({
  callId: call.id,
  ...outcome,
});

const isPlainAnswer = (message: ChatMessage | undefined): boolean =>
  message?.role === 'assistant' && message.toolCalls.length === 0;

/** The conversation goes on from what the correspondent was told at last. */
export const withClosing = (
  messages: readonly ChatMessage[],
  text: string,
): readonly ChatMessage[] => [
  ...(isPlainAnswer(messages.at(-1)) ? messages.slice(0, -1) : messages),
  { role: 'assistant', content: text, toolCalls: [] },
];
harden(withClosing);

/** A turn under way. Each stage resolves to an end, or to nothing: go on. */
const makeTurn = (plan: TurnPlan) => {
  const { ledger, limits, signal, record } = plan;
  const { past } = record;
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

  /** The next answer of the model, not yet durable. */
  const ask = async (): Promise<AnswerRecord | TurnEnd> => {
    await record.keepAnswers();
    try {
      const asked = await plan.context.ask(messages, plan.schemas());
      const { answer, request } = asked;
      const spent = usageOf(request, answer);
      plan.onAnswer?.(answer, spent);
      const conversation = [...plan.history, ...messages];
      const read = readCalls(answer.message, conversation, plan.makeId);
      const { stop } = answer;
      return harden({ type: 'answer', ...read, stop, usage: spent });
    } catch (error) {
      const aborted = whenAborted();
      if (aborted !== undefined) return aborted;
      if (!(error instanceof ModelError)) throw error;
      plan.onModelError?.(error);
      const told = plan.isTrusted ? error : undefined;
      return notice(modelErrorNotice(told, ledger.done()), true);
    }
  };

  const runTools = async (
    { content: said, toolCalls }: AssistantMessage,
    known: RecordedStep | undefined,
  ): Promise<TurnEnd | undefined> => {
    const onlyDismisses = toolCalls.every(({ name }) => name === 'dismiss');
    besideDismissal = onlyDismisses ? visibleText(said) || besideDismissal : '';
    const results = known?.results;
    let outcomes: readonly CallOutcome[];
    if (results === undefined) {
      await record.write();
      outcomes = await runWithinLimits(plan, toolCalls, known);
      // Without its results the next incarnation looks for what has happened.
      if (signal.aborted && plan.isStopping()) return { type: 'abandoned' };
      await record.write({
        type: 'results',
        outcomes: outcomes.map(toJournal),
      });
    } else {
      outcomes = recallOutcomes(toolCalls, results);
    }
    let repeated: string | undefined;
    for (const outcome of outcomes) {
      const { call, content, isError, changes, inDoubt } = outcome;
      const { id: callId, name, argumentsText } = call;
      messages.push({ role: 'tool', callId, content, isError });
      if (results === undefined) plan.onOutcome?.(outcome);
      else plan.recall(outcome.facts);
      ledger.noteCall({ name, ok: !isError, changes, inDoubt });
      if (repetition.note({ name, argumentsText, content })) repeated = name;
    }
    if (repeated === undefined || signal.aborted) return whenAborted();
    return notice(repeatNotice(repeated, ledger.done()));
  };

  const close = (answer: AnswerRecord): TurnEnd | undefined => {
    const end = closeTurn({ answer, ledger, besideDismissal, askedAgain });
    if (end !== 'ask-again') return end;
    askedAgain = true;
    const mayDismiss = plan
      .schemas()
      .some((tool) => tool.function.name === 'dismiss');
    const content = mayDismiss ? ASK_AGAIN + OR_DISMISS : ASK_AGAIN;
    messages.push({ role: 'user', content });
    return undefined;
  };

  const actOn = async (
    answer: AnswerRecord,
    known: RecordedStep | undefined,
  ): Promise<TurnEnd | undefined> => {
    const { message, problems } = answer;
    usage = addUsage(usage, answer.usage);
    messages.push(message);
    let end: TurnEnd | undefined;
    if (message.toolCalls.length > 0) end = await runTools(message, known);
    else if (problems.length === 0) end = close(answer);
    if (problems.length > 0) {
      messages.push({ role: 'user', content: problems.join('\n') });
    }
    return end;
  };

  const whenSpent = (): TurnEnd | undefined => {
    const spent = usage.input + usage.output;
    return spent < limits.maxTokens
      ? undefined
      : notice(tokensNotice(spent, ledger.done()));
  };

  /** A step of an earlier incarnation ends the turn only where it ended it. */
  const takeKnownStep = async (
    index: number,
    known: RecordedStep,
  ): Promise<TurnEnd | undefined> => {
    const isLast = index === past.steps.length - 1;
    if (isLast && past.notice !== undefined && known.results === undefined) {
      messages.push(known.answer.message);
      return past.notice;
    }
    const end = await actOn(known.answer, known);
    if (end?.type === 'abandoned') return end;
    return isLast ? (past.notice ?? end ?? whenSpent()) : undefined;
  };

  return {
    takeStep: async (index: number): Promise<TurnEnd | undefined> => {
      const known = past.steps[index];
      if (known !== undefined) return takeKnownStep(index, known);
      if (index === 0 && past.notice !== undefined) return past.notice;
      const aborted = whenAborted();
      if (aborted !== undefined) return aborted;
      const answer = await ask();
      if (answer.type !== 'answer') return answer;
      const late = whenAborted();
      if (late !== undefined) return late;
      record.hold(answer);
      return (await actOn(answer, undefined)) ?? whenSpent();
    },
    whenStepsAreUp: (): TurnEnd =>
      notice(stepsNotice(limits.maxSteps, ledger.done())),
    finish: (end: TurnEnd): TurnResult => {
      const whole =
        end.type === 'notice' ? withClosing(messages, end.text) : [...messages];
      return harden({ end, messages: repairCalls(whole), usage });
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
  // What was done before counts, even if the limit was another one then.
  const { length } = plan.record.past.steps;
  const most = Math.max(plan.limits.maxSteps, length);
  for (let step = 0; step < most; step += 1) {
    const end = await turn.takeStep(step);
    if (end !== undefined) return turn.finish(end);
  }
  return turn.finish(turn.whenStepsAreUp());
};
harden(runTurn);
