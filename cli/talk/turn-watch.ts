import { E } from '@endo/far';
import { CliError, reasonOf } from '../cli-error.ts';
import type { CliPowers } from '../powers.ts';
import type { RemoteAgent, RemoteController, TurnOutcome } from '../remote.ts';
import { methodNames } from '../session.ts';
import type { Conversation } from './conversation.ts';

const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

// Mail takes a moment to become a turn.
const INTERRUPT_ATTEMPTS = 50;
const INTERRUPT_PAUSE_MS = 100;

/** `nothing`: no turn began in time; `impossible`: there is no way to. */
export type Interruption = 'stopped' | 'nothing' | 'impossible';

/** How a conversation learns that a turn is over, and ends one. */
export type TurnWatch = {
  readonly settled: (messageId: string) => Promise<TurnOutcome>;
  /** The same for the turn in which the agent hears of a decision of ours. */
  readonly heard: (messageId: string) => Promise<TurnOutcome>;
  /**
   * Ends the running turns of this person. A turn that is about to begin is
   * waited for, while `isRunning`.
   */
  readonly interrupt: (isRunning: () => boolean) => Promise<Interruption>;
};

/** The agent's controller, when the host holds one that can be asked. */
const findController = async (
  host: RemoteAgent,
  peerName: string,
): Promise<RemoteController | undefined> => {
  const name = `controller-for-${peerName}`;
  if (!(await E(host).has(name))) return undefined;
  let controller;
  try {
    controller = await E(host).lookup(name);
  } catch (error) {
    throw new CliError(
      `the agent "${peerName}" does not come up: ${reasonOf(error)}; "npm run -s hob -- log" may say more, "up" sets it up again`,
      { cause: error },
    );
  }
  const methods = await methodNames(controller);
  return methods.includes('whenSettled')
    ? (controller as RemoteController)
    : undefined;
};

/** An agent that lives elsewhere: its first answer ends the wait. */
const watchAnswers = (conversation: Conversation): TurnWatch =>
  harden({
    settled: async (messageId: string) => {
      await conversation.firstAnswer(messageId);
      return 'answered' as const;
    },
    // Nothing tells: what comes of it is shown when it comes.
    heard: () => Promise.resolve('answered' as const),
    interrupt: () => Promise.resolve('impossible' as const),
  });

/** Asks the controller; asks again when the agent's worker was replaced. */
const watchController = (
  powers: Pick<CliPowers, 'after' | 'stderr'>,
  host: RemoteAgent,
  peerName: string,
  first: RemoteController,
): TurnWatch => {
  let controller = first;
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      powers.after(ms, resolve);
    });
  const renew = async (): Promise<void> => {
    controller = (await findController(host, peerName)) ?? controller;
  };
  const settled = async (messageId: string): Promise<TurnOutcome> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await E(controller).whenSettled(messageId)).outcome;
      } catch (error) {
        if (attempt === ATTEMPTS) {
          throw new CliError(
            `the agent "${peerName}" stopped in the middle of a turn: ${reasonOf(error)}; your message is kept and is answered when it is back`,
            { cause: error },
          );
        }
        await pause(PAUSE_MS);
        await renew();
      }
    }
  };
  return harden({
    settled,
    heard: settled,
    interrupt: async (isRunning: () => boolean) => {
      for (let attempt = 0; attempt < INTERRUPT_ATTEMPTS; attempt += 1) {
        const count = await E(controller).interrupt();
        if (count > 0n || !isRunning()) return 'stopped' as const;
        await pause(INTERRUPT_PAUSE_MS);
      }
      return 'nothing' as const;
    },
  });
};

export const makeTurnWatch = async (
  powers: Pick<CliPowers, 'after' | 'stderr'>,
  host: RemoteAgent,
  peerName: string,
  conversation: Conversation,
): Promise<TurnWatch> => {
  const controller = await findController(host, peerName);
  return controller === undefined
    ? watchAnswers(conversation)
    : watchController(powers, host, peerName, controller);
};
harden(makeTurnWatch);
