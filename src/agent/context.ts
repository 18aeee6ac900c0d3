import type {
  ChatAnswer,
  ChatMessage,
  ChatRequest,
  ToolSchema,
} from '../model/chat.ts';
import { ModelError } from '../model/model-error.ts';
import { type Room, shareRoom } from '../transcript/compaction.ts';
import {
  boundNewestResults,
  boundOpening,
  cutOlderResults,
  emptyView,
  extendView,
  leaveOutSteps,
  newestResultsSize,
  showTurn,
  type TurnView,
} from '../transcript/shrink.ts';
import { makePast, type PastPowers } from './past.ts';

export type ContextPowers = PastPowers & { readonly prompt: string };

export type Asked = {
  readonly answer: ChatAnswer;
  /** As it was sent at last. */
  readonly request: ChatRequest;
};

/** The conversation of one turn, made to fit what the model can read. */
export type TurnContext = {
  /**
   * One answer of the model.
   *
   * @param messages - all of the turn so far, its opening first. From one call
   *   to the next they only grow at their end, by answers with all of their
   *   results.
   * @throws ModelError as the model does; of kind `overflow` when the request
   *   is still too long after it was made shorter twice, or cannot be
   */
  readonly ask: (
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
  ) => Promise<Asked>;
};

/** How often a call that was refused as too long is made again, shorter. */
const MOST_REFUSED = 2;

type Refused = { readonly cause: ModelError; readonly tokens: number };

const overflowError = ({ cause, tokens }: Refused): ModelError =>
  new ModelError(
    `This conversation does not fit the model, not even cut down to about ${tokens} tokens: ${cause.message}`,
    {
      kind: 'overflow',
      ...(cause.status === undefined ? {} : { status: cause.status }),
      remedy: `Set LAL_CONTEXT_TOKENS and LAL_MAX_TOKENS to what the model can read and write, or begin a new conversation. ${cause.remedy}`,
      cause,
    },
  );

/**
 * What the model calls of one turn are assembled from. As long as all fits,
 * each request begins with the bytes of the one before; what does not fit gives
 * way in the order of `makeFit`, and stays as it was shown from then on.
 */
export const makeTurnContext = (powers: ContextPowers): TurnContext => {
  const { model, window, prompt, signal } = powers;
  const { estimate } = window;
  const system: ChatMessage = harden({ role: 'system', content: prompt });
  const past = makePast(powers);
  let view: TurnView = emptyView;

  const turnSize = (): number => estimate.of({ messages: showTurn(view) });
  const within =
    (tokens: number) =>
    (messages: readonly ChatMessage[]): boolean =>
      estimate.of({ messages }) <= tokens;

  /** What is wanted least goes first. */
  const makeFit = async (room: Room): Promise<void> => {
    const excess = (): number =>
      past.size(room) + turnSize() - room.conversation;
    const besidePast = () => within(room.afterwards - past.size(room));
    const measures: readonly (() => TurnView | Promise<TurnView>)[] = [
      () => cutOlderResults(view, within(room.turn)),
      () => boundNewestResults(view, room.newestResults, estimate),
      async () => {
        await past.shorten(turnSize(), room);
        return view;
      },
      () => cutOlderResults(view, besidePast()),
      () => boundOpening(view, room.opening, estimate),
      () => leaveOutSteps(view, besidePast()),
      () => {
        const left = newestResultsSize(view, estimate) - excess();
        return boundNewestResults(view, left, estimate);
      },
    ];
    for (const measure of measures) {
      if (excess() <= 0) return;
      view = await measure();
    }
  };

  const roomBeside = (tools: readonly ToolSchema[]): Room => {
    const fixed = estimate.of({ messages: [system], tools });
    return shareRoom(Math.max(0, window.budget() - fixed));
  };

  const assemble = async (
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
  ): Promise<ChatRequest> => {
    view = extendView(view, messages);
    let room = roomBeside(tools);
    for (;;) {
      await makeFit(room);
      // A summary that was refused as too long has shown how much there is.
      const now = roomBeside(tools);
      if (now.conversation >= room.conversation) break;
      room = now;
    }
    const conversation = past.before(showTurn(view), room);
    // Not hardened: an AbortSignal does not survive it.
    return Object.freeze({
      messages: harden([system, ...conversation]),
      tools,
      signal,
    });
  };

  const ask = async (
    messages: readonly ChatMessage[],
    tools: readonly ToolSchema[],
  ): Promise<Asked> => {
    let last: Refused | undefined;
    for (let refused = 0; ; refused += 1) {
      const request = await assemble(messages, tools);
      const tokens = estimate.of(request);
      if (last && (refused > MOST_REFUSED || tokens >= last.tokens)) {
        throw overflowError(last);
      }
      try {
        const answer = await model.chat(request);
        window.learn(request, answer.usage);
        return { answer, request };
      } catch (cause) {
        if (!(cause instanceof ModelError) || cause.kind !== 'overflow') {
          throw cause;
        }
        powers.onEvent({ type: 'overflow', tokens });
        window.refused(tokens);
        last = { cause, tokens };
      }
    }
  };

  return harden({ ask });
};
harden(makeTurnContext);
