/**
 * One message from the HOST to the real agent, on a guest in memory: what the
 * model of this configuration makes of it, with no daemon.
 */
import { composeAgent, prepareModel } from '../../src/caplet.ts';
import type { Config } from '../../src/config.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import type {
  ChatAnswer,
  ChatModel,
  ChatRequest,
  Usage,
} from '../../src/model/chat.ts';
import { addUsage, noUsage } from '../../src/model/usage.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';
import { makePerson, textOf } from '../support/person.ts';

/** One call of a tool, as the model made it and as it was answered. */
export type SimulatedCall = {
  readonly name: string;
  /** The model's own text. */
  readonly arguments: string;
  readonly result?: string;
  readonly isError?: boolean;
};

export type SimulatedMail = {
  readonly from: string;
  readonly to: string;
  readonly text: string;
};

export type Simulation = {
  readonly provider: string;
  readonly model: string;
  readonly host: string;
  /** Whether the message was answered and dismissed. */
  readonly ok: boolean;
  /** Why it was not, and what to do. */
  readonly problem?: string;
  readonly mail: readonly SimulatedMail[];
  readonly calls: readonly SimulatedCall[];
  readonly modelCalls: number;
  readonly tokens: Usage;
  readonly milliseconds: number;
};

export type SimulationPowers = {
  /** Milliseconds that only go up. */
  readonly now: () => number;
  /** Resolves when no answer is waited for any longer. */
  readonly patience: Promise<unknown>;
};

/** `model`, and what was asked of it and answered. */
const makeObserved = (model: ChatModel) => {
  const requests: ChatRequest[] = [];
  const answers: ChatAnswer[] = [];
  const observed: ChatModel = harden({
    provider: model.provider,
    model: model.model,
    chat: async (request: ChatRequest) => {
      requests.push(request);
      const answer = await model.chat(request);
      answers.push(answer);
      return answer;
    },
  });
  const calls = (): readonly SimulatedCall[] => {
    const results = new Map(
      requests.flatMap(({ messages }) =>
        messages.flatMap((message) =>
          message.role === 'tool' ? [[message.callId, message] as const] : [],
        ),
      ),
    );
    return answers.flatMap(({ message }) =>
      message.toolCalls.map(({ id, name, argumentsText }) => {
        const result = results.get(id);
        const shown = result && {
          result: result.content,
          isError: result.isError,
        };
        return { name, arguments: argumentsText, ...shown };
      }),
    );
  };
  return {
    observed,
    calls,
    modelCalls: () => requests.length,
    tokens: () =>
      answers.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
  };
};

const problemOf = (
  outcome: string,
  dismissed: boolean,
  mail: readonly SimulatedMail[],
): string | undefined => {
  const last = mail.at(-1)?.text ?? '';
  switch (outcome) {
    case 'answered':
      return dismissed ? undefined : 'The message was answered, not dismissed.';
    case 'failed':
      return last
        .replace(/^(?:\[depth:\d+\] )?\[hob notice\] /u, '')
        .replace(/ Nothing was changed\. Reply here to try again\.$/u, '');
    case 'timeout':
      return 'There was no answer in time; LAL_MODEL_TIMEOUT_MS and LAL_MAX_STEPS limit what one message may take.';
    case 'waiting':
      return 'The model waits for a decision of its HOST, and nobody decides here.';
    default:
      return 'The model dismissed the message without an answer.';
  }
};

/** Rejects only when the model cannot be made at all. */
export const simulate = async (
  config: Config,
  text: string,
  { now, patience }: SimulationPowers,
): Promise<Simulation> => {
  const { observed, calls, modelCalls, tokens } = makeObserved(
    await prepareModel(config),
  );
  const world = makeFakeWorld();
  const { powers } = await world.makeGuest('hob');
  const host = await makePerson(world.host);
  const guest = await connectGuest(powers);
  const agent = composeAgent({
    guest,
    model: observed,
    config,
    onEvent: () => undefined,
  });
  await agent.started;
  const began = now();
  const { messageId } = await host.send('hob', text);
  const outcome = await Promise.race([
    agent.whenSettled(messageId),
    patience.then(() => 'timeout' as const),
  ]);
  const milliseconds = Math.round(now() - began);
  const dismissed = (await guest.listMessages()).every(
    (mail) => mail.messageId !== messageId,
  );
  agent.stop('the simulation is over');
  const mail = (await host.port.listMessages()).flatMap((each) =>
    each.type === 'package'
      ? [
          each.from === host.id
            ? { from: 'HOST', to: 'hob', text: textOf(each) }
            : { from: 'hob', to: 'HOST', text: textOf(each) },
        ]
      : [],
  );
  const problem = problemOf(outcome, dismissed, mail);
  return {
    provider: observed.provider,
    model: observed.model,
    host: config.model.host,
    ok: problem === undefined,
    ...(problem === undefined ? {} : { problem }),
    mail,
    calls: calls(),
    modelCalls: modelCalls(),
    tokens: tokens(),
    milliseconds,
  };
};
