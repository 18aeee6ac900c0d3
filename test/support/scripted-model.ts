import type {
  AssistantMessage,
  ChatAnswer,
  ChatModel,
  ChatRequest,
  StopReason,
  Usage,
} from '../../src/model/chat.ts';
import { cancelledError } from '../../src/model/cancelled.ts';
import type { ModelError } from '../../src/model/model-error.ts';

/** What the model does when it is called. */
export type Step = (request: ChatRequest, index: number) => Promise<ChatAnswer>;

type AnswerOptions = {
  readonly stop?: StopReason;
  readonly usage?: Partial<Usage>;
};

type ScriptedCall = readonly [name: string, args: unknown];

const makeAnswer = (
  content: string,
  toolCalls: AssistantMessage['toolCalls'],
  { stop, usage }: AnswerOptions,
): ChatAnswer =>
  harden({
    message: { role: 'assistant', content, toolCalls },
    stop: stop ?? (toolCalls.length > 0 ? 'tools' : 'end'),
    usage: { input: 10, cached: 0, output: 5, ...usage },
  });

/** Answers in prose. */
export const answer =
  (text: string, options: AnswerOptions = {}): Step =>
  () =>
    Promise.resolve(makeAnswer(text, [], options));

/** Calls several tools in one answer; a string as arguments is sent as it is. */
export const calls =
  (
    list: readonly ScriptedCall[],
    text = '',
    options: AnswerOptions = {},
  ): Step =>
  (_request, index) =>
    Promise.resolve(
      makeAnswer(
        text,
        list.map(([name, args], position) => ({
          id: `call-${index}-${position}`,
          name,
          argumentsText: typeof args === 'string' ? args : JSON.stringify(args),
        })),
        options,
      ),
    );

/** Calls one tool. */
export const call = (name: string, args: unknown = {}): Step =>
  calls([[name, args]]);

export const fail =
  (error: ModelError): Step =>
  () =>
    Promise.reject(error);

/** Never answers; rejects as cancelled when it is aborted. */
export const hang =
  (): Step =>
  ({ signal }) =>
    new Promise((_resolve, reject) => {
      const stop = () => reject(cancelledError());
      if (signal.aborted) stop();
      else signal.addEventListener('abort', stop, { once: true });
    });

/** Looks at the request first; what `check` throws fails the script. */
export const expecting =
  (check: (request: ChatRequest) => void, step: Step): Step =>
  (request, index) => {
    check(request);
    return step(request, index);
  };

/** Takes the step when `gate` is resolved, or rejects when it is aborted. */
export const after =
  (gate: Promise<unknown>, step: Step): Step =>
  async (request, index) => {
    await Promise.race([gate, hang()(request, index)]);
    return step(request, index);
  };

export type ScriptedModel = {
  readonly model: ChatModel;
  /** Every request so far, oldest first. */
  readonly requests: readonly ChatRequest[];
  /** Resolves with the next request that nobody has taken yet. */
  readonly nextRequest: () => Promise<ChatRequest>;
  /** Throws unless every step was taken and nothing unexpected came. */
  readonly assertDone: () => void;
};

/** A model that takes its steps in order and fails on any call beyond them. */
export const makeScriptedModel = (steps: readonly Step[]): ScriptedModel => {
  const requests: ChatRequest[] = [];
  const failures: unknown[] = [];
  const takers: ((request: ChatRequest) => void)[] = [];
  let taken = 0;

  const chat = async (request: ChatRequest): Promise<ChatAnswer> => {
    const index = requests.length;
    requests.push(request);
    const taker = takers.shift();
    if (taker) {
      taken += 1;
      taker(request);
    }
    const step = steps[index];
    if (!step) {
      const last = request.messages.at(-1);
      const failure = Error(
        `Unexpected call ${index + 1} of a scripted model with ${steps.length} steps; ` +
          `its last message: ${JSON.stringify(last)}`,
      );
      failures.push(failure);
      throw failure;
    }
    try {
      return await step(request, index);
    } catch (error) {
      if (!(error instanceof Error) || error.name !== 'ModelError')
        failures.push(error);
      throw error;
    }
  };

  return {
    model: harden({ provider: 'scripted', model: 'scripted', chat }),
    requests,
    nextRequest: () => {
      const waiting = requests[taken];
      if (waiting && takers.length === 0) {
        taken += 1;
        return Promise.resolve(waiting);
      }
      return new Promise((resolve) => takers.push(resolve));
    },
    assertDone: () => {
      if (failures.length > 0) throw failures[0];
      if (requests.length < steps.length) {
        throw Error(
          `The scripted model took ${requests.length} of ${steps.length} steps`,
        );
      }
    },
  };
};
