import type { Usage } from '../model/chat.ts';
import { addUsage, noUsage } from '../model/usage.ts';
import type { TurnHead } from '../transcript/entry.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { Doorkeeper } from './admission.ts';
import { openingOf, type PlanPowers, planTurn } from './conversation.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeLedger } from './ledger.ts';
import type { Occasion } from './occasion.ts';
import type { ContextEvent } from './past.ts';
import type { Route } from './router.ts';
import { type EndedTurn, settleTurn, type SettlingPowers } from './settling.ts';
import { textHash } from './text-hash.ts';
import { runTurn } from './turn.ts';
import type { TurnResult } from './turn-plan.ts';
import type { TurnRecord } from './turn-record.ts';
import { makeTurnSending } from './turn-sending.ts';

/** Runs turns, one at a call, and settles them. */
export type Runner = {
  /**
   * `undefined` when the agent stopped before the end. Rejects when the turn
   * itself has failed, and nothing of its end was told.
   */
  readonly run: (
    occasion: Occasion,
    route: Route,
    record: TurnRecord,
    abort: AbortController,
  ) => Promise<SettledOutcome | undefined>;
  /** Answer without a turn; the conversation goes on from what was said. */
  readonly decline: (
    occasion: Occasion,
    route: Route,
    record: TurnRecord,
    text: string,
  ) => Promise<SettledOutcome | undefined>;
  readonly usage: () => Usage;
};

/** What the count of outcomes in a row is with this turn. */
const unattendedWith = ({ unattended }: Occasion, before: number): number => {
  if (unattended === 'none') return 0;
  return before + (unattended === 'one-more' ? 1 : 0);
};

const makeHead = (
  occasion: Occasion,
  route: Route,
  opening: string,
): TurnHead => {
  const before = route.type === 'continue' ? route.last : undefined;
  const { nodeId, correspondent, number, answers, alias } = occasion;
  return harden({
    type: 'begin',
    ...{ opening, correspondent, number, answers },
    ...(alias === undefined ? {} : { alias }),
    parentMessageId: route.type === 'continue' ? route.parentId : null,
    turnBefore: before?.messageId ?? null,
    rootMessageId: before?.rootMessageId ?? nodeId,
    turns: (before?.turns ?? 0) + 1,
    exchanges: (before?.exchanges ?? 0) + 1,
    unattended: unattendedWith(occasion, before?.unattended ?? 0),
    afterFailure: before?.failed ?? false,
  });
};

export const makeRunner = ({
  plan,
  store,
  doorkeeper,
  isStopped,
  prolong,
  onEvent,
}: {
  readonly plan: PlanPowers;
  readonly store: TranscriptStore;
  readonly doorkeeper: Doorkeeper;
  readonly isStopped: () => boolean;
  readonly prolong: SettlingPowers['prolong'];
  readonly onEvent: OnAgentEvent;
}): Runner => {
  const { guest, post, correspondents } = plan;
  const promptHash = textHash(plan.prompt);
  let usage = noUsage;

  const settle = async (
    turn: EndedTurn,
  ): Promise<SettledOutcome | undefined> => {
    const { correspondent, number } = turn.occasion;
    const isTrusted = doorkeeper.isTrusted(correspondent);
    try {
      return await settleTurn(
        {
          ...{ guest, post, correspondents, store, promptHash },
          ...{ isTrusted, isStopped, prolong, onEvent },
        },
        turn,
      );
    } catch (cause) {
      if (isStopped()) return undefined;
      onEvent({ type: 'trouble', during: `settling message ${number}`, cause });
      return 'failed';
    }
  };

  /** The head that is on record, or this one from now on. */
  const begin = (
    occasion: Occasion,
    route: Route,
    record: TurnRecord,
    opening: string,
  ): TurnHead => {
    const { head } = record.past;
    if (head !== undefined) return head;
    const fresh = makeHead(occasion, route, opening);
    record.hold(fresh);
    return fresh;
  };

  const partsOf = (occasion: Occasion, head: TurnHead, record: TurnRecord) => {
    const { nodeId: messageId, correspondent } = occasion;
    const sending = makeTurnSending({ messageId, correspondent }, record);
    for (const mail of record.traces()) {
      if (mail.type === 'package') sending.recall(mail);
    }
    return { occasion, head, record, sending, ledger: makeLedger() };
  };

  return harden({
    decline: async (
      occasion: Occasion,
      route: Route,
      record: TurnRecord,
      text: string,
    ) => {
      const head = begin(occasion, route, record, occasion.text);
      const result: TurnResult = harden({
        end: { type: 'notice', text, failed: true },
        messages: [
          { role: 'user', content: occasion.text },
          { role: 'assistant', content: text, toolCalls: [] },
        ],
        usage: noUsage,
      });
      return settle({ ...partsOf(occasion, head, record), result });
    },
    run: async (
      occasion: Occasion,
      route: Route,
      record: TurnRecord,
      abort: AbortController,
    ) => {
      const { number, correspondent } = occasion;
      const isTrusted = doorkeeper.isTrusted(correspondent);
      const opening = openingOf(occasion, isTrusted);
      const head = begin(occasion, route, record, opening);
      const parts = partsOf(occasion, head, record);
      const spend = (spent: Usage): void => {
        usage = addUsage(usage, spent);
        doorkeeper.spent(correspondent, spent);
      };
      const turnPlan = await planTurn(plan, {
        ...parts,
        isTrusted,
        walk: route.type === 'continue' ? route.walk : { nodes: [] },
        signal: abort.signal,
        isStopping: isStopped,
        onSpent: spend,
        onContextEvent: (event: ContextEvent) =>
          event.type === 'summary-failed'
            ? onEvent({
                type: 'trouble',
                during: 'summing up a conversation',
                cause: event.cause,
              })
            : onEvent({ ...event, number }),
      });
      const isResumed = record.past.head !== undefined;
      onEvent({ type: isResumed ? 'turn-resumed' : 'turn-began', number });
      const result = await runTurn({
        ...turnPlan,
        onAnswer: ({ message }, spent) => {
          spend(spent);
          const toolCalls = message.toolCalls.length;
          onEvent({ type: 'model-answered', number, usage: spent, toolCalls });
        },
        onModelError: ({ kind }) =>
          onEvent({ type: 'model-failed', number, kind }),
        onOutcome: ({ call, isError }) =>
          onEvent({ type: 'tool-ran', number, tool: call.name, ok: !isError }),
      });
      if (result.end.type === 'abandoned') return undefined;
      return settle({ ...parts, result });
    },
    usage: () => usage,
  });
};
harden(makeRunner);
