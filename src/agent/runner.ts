import type { Usage } from '../model/chat.ts';
import { addUsage, noUsage } from '../model/usage.ts';
import type { TranscriptStore } from '../transcript/store.ts';
import type { Doorkeeper } from './admission.ts';
import { type PlanPowers, planTurn } from './conversation.ts';
import type { OnAgentEvent, SettledOutcome } from './events.ts';
import { makeLedger } from './ledger.ts';
import type { Occasion } from './occasion.ts';
import type { Route } from './router.ts';
import { type Lineage, settleTurn } from './settling.ts';
import { runTurn } from './turn.ts';
import type { TurnResult } from './turn-plan.ts';

/** Runs turns, one at a call, and settles them. */
export type Runner = {
  /** `undefined` when the agent stopped before the end. */
  readonly run: (
    occasion: Occasion,
    route: Route,
    abort: AbortController,
  ) => Promise<SettledOutcome | undefined>;
  /** Answer without a turn; the conversation goes on from what was said. */
  readonly decline: (
    occasion: Occasion,
    route: Route,
    text: string,
  ) => Promise<void>;
  readonly usage: () => Usage;
};

export const lineageOf = (route: Route): Lineage => {
  const last = route.type === 'continue' ? route.chain.at(-1) : undefined;
  return {
    parentId: route.type === 'continue' ? route.parentId : null,
    turnBefore: last?.messageId ?? null,
    exchanges: last?.exchanges ?? 0,
    unattended: last?.unattended ?? 0,
    failed: last?.failed ?? false,
  };
};
harden(lineageOf);

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
  /** A turn has become a node. */
  readonly prolong: (nodeId: string, turnBefore: string | null) => void;
  readonly onEvent: OnAgentEvent;
}): Runner => {
  const { post, correspondents } = plan;
  let usage = noUsage;

  const settling = (correspondent: string) => ({
    post,
    correspondents,
    store,
    isTrusted: doorkeeper.isTrusted(correspondent),
    onEvent,
  });

  return harden({
    decline: async (occasion: Occasion, route: Route, text: string) => {
      const result: TurnResult = harden({
        end: { type: 'notice', text, failed: true },
        messages: [
          { role: 'user', content: occasion.text },
          { role: 'assistant', content: text, toolCalls: [] },
        ],
        usage: noUsage,
      });
      const { correspondent } = occasion;
      const [ledger, lineage] = [makeLedger(), lineageOf(route)];
      const powers = settling(correspondent);
      await settleTurn(powers, occasion, result, ledger, lineage, prolong);
    },
    run: async (occasion: Occasion, route: Route, abort: AbortController) => {
      const { number, correspondent } = occasion;
      const ledger = makeLedger();
      const turnPlan = await planTurn(plan, {
        occasion,
        isTrusted: doorkeeper.isTrusted(correspondent),
        chain: route.type === 'continue' ? route.chain : [],
        ledger,
        signal: abort.signal,
        isStopping: isStopped,
      });
      onEvent({ type: 'turn-began', number });
      const result = await runTurn({
        ...turnPlan,
        onAnswer: ({ message }, spent) => {
          usage = addUsage(usage, spent);
          doorkeeper.spent(correspondent, spent);
          const toolCalls = message.toolCalls.length;
          onEvent({ type: 'model-answered', number, usage: spent, toolCalls });
        },
        onModelError: ({ kind }) =>
          onEvent({ type: 'model-failed', number, kind }),
        onOutcome: ({ call, isError }) =>
          onEvent({ type: 'tool-ran', number, tool: call.name, ok: !isError }),
      });
      if (result.end.type === 'abandoned') return undefined;
      const lineage = lineageOf(route);
      const powers = settling(correspondent);
      return settleTurn(powers, occasion, result, ledger, lineage, prolong);
    },
    usage: () => usage,
  });
};
harden(makeRunner);
