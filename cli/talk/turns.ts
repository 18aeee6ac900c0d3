import { EXIT, INTERRUPTED, reasonOf } from '../cli-error.ts';
import type { TurnOutcome } from '../remote.ts';
import type { Step, Talk } from './talk-powers.ts';

export const leaving = ({ lines }: Pick<Talk, 'lines'>): Step =>
  harden({ leave: lines.isTTY ? EXIT.ok : INTERRUPTED });
harden(leaving);

/** Stops the running turn; what cannot be stopped is said. */
const stopTurn = async (
  { watch, screen, peerName }: Talk,
  isRunning: () => boolean,
): Promise<void> => {
  try {
    screen.note('stopping the turn; Ctrl-C again leaves');
    const interruption = await watch.interrupt(isRunning);
    if (interruption === 'impossible') {
      screen.note(`"${peerName}" cannot be stopped from here`);
    } else if (interruption === 'nothing') {
      screen.note(`"${peerName}" has not begun a turn that could be stopped`);
    }
  } catch (error) {
    screen.note(`could not stop the turn: ${reasonOf(error)}`);
  }
};

/** Waits for a turn of the agent; Ctrl-C stops it. */
const awaitTurn = async (
  talk: Talk,
  turn: () => Promise<TurnOutcome>,
): Promise<Step> => {
  const { conversation, screen, lines, interrupts, session } = talk;
  const state = { stopped: false, running: true };
  conversation.setTurnRunning(true);
  const running = turn();
  running.catch(() => undefined);
  const ended = interrupts.during(
    () => {
      state.stopped = true;
      void stopTurn(talk, () => state.running);
    },
    Promise.race([running, interrupts.left, conversation.broken, session.gone]),
  );
  lines.status('… thinking');
  const outcome = await ended.finally(() => {
    state.running = false;
    lines.status(undefined);
    conversation.setTurnRunning(false);
  });
  if (outcome === 'left') return leaving(talk);
  if (state.stopped) screen.note('the turn has ended');
  else if (outcome === 'silent') {
    screen.note(`"${talk.peerName}" had nothing to say`);
  }
  return { failed: outcome === 'failed' && !state.stopped };
};

/** Sends a line, and waits for the turn that answers it. */
export const speak = (talk: Talk, text: string): Promise<Step> =>
  awaitTurn(talk, async () => {
    const { conversation, watch } = talk;
    const messageId = await conversation.say(text);
    const outcome = await watch.settled(messageId);
    await conversation.catchUp(messageId);
    return outcome;
  });
harden(speak);

/** Waits for the turn in which the agent hears of a decision. */
export const awaitOutcome = (talk: Talk, messageId: string): Promise<Step> =>
  awaitTurn(talk, async () => {
    const outcome = await talk.watch.heard(messageId);
    await talk.conversation.catchUp();
    return outcome;
  });
harden(awaitOutcome);
