import { CliError, EXIT, reasonOf } from '../cli-error.ts';
import { parseMessageNumber } from '../arguments.ts';
import { printInbox } from '../commands/inbox.ts';
import type { CliPowers, LineSource } from '../powers.ts';
import type { Session } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { openConversation } from './conversation.ts';
import type { Conversation } from './conversation.ts';
import { makeInterrupts } from './interrupts.ts';
import type { Interrupts } from './interrupts.ts';
import { makeTalkScreen } from './talk-screen.ts';
import type { TalkScreen } from './talk-screen.ts';
import { makeTurnWatch } from './turn-watch.ts';
import type { TurnWatch } from './turn-watch.ts';

/** A shell reports a program that Ctrl-C ended by this number. */
const INTERRUPTED = 130;

const HELP = `a line is sent to the agent, in the conversation you are having
/new       begin a new conversation
/to <n>    continue message n
/inbox     show your mail
/quit      leave (so do Ctrl-D, and Ctrl-C when nothing runs)
//text     send text that begins with a slash
Ctrl-C stops a running turn; twice leaves.`;

type Talk = {
  readonly powers: CliPowers;
  readonly session: Session;
  readonly peerName: string;
  readonly lines: LineSource;
  readonly screen: TalkScreen;
  readonly conversation: Conversation;
  readonly watch: TurnWatch;
  readonly interrupts: Interrupts;
};

/** What one line led to: go on, or leave with this exit code. */
type Step = { readonly leave?: number; readonly failed?: boolean };

const GO_ON: Step = harden({});

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

const speak = async (talk: Talk, text: string): Promise<Step> => {
  const { conversation, watch, screen, lines, interrupts, session } = talk;
  const state = { stopped: false, running: true };
  const turn = async (): Promise<Awaited<ReturnType<TurnWatch['settled']>>> => {
    conversation.setTurnRunning(true);
    const messageId = await conversation.say(text);
    const outcome = await watch.settled(messageId);
    await conversation.catchUp(messageId);
    return outcome;
  };
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
  });
  conversation.setTurnRunning(false);
  if (outcome === 'left') return leaving(talk);
  if (state.stopped) screen.note('the turn has ended');
  else if (outcome === 'silent') {
    screen.note(`"${talk.peerName}" had nothing to say`);
  }
  return afterTurn(talk, outcome === 'failed' && !state.stopped);
};

/** Into a pipe, a decision ends the talk: nobody is there to make it. */
const afterTurn = async (talk: Talk, failed: boolean): Promise<Step> => {
  const open = await talk.conversation.openDecisions();
  const [first] = open;
  if (first === undefined || talk.lines.isTTY) return { failed };
  const numbers = open.map(({ number }) => `#${number}`).join(', ');
  talk.screen.note(
    `a decision is needed on ${numbers}; the lines that follow were not sent`,
  );
  return { leave: EXIT.decision };
};

const leaving = (talk: Talk): Step =>
  harden({ leave: talk.lines.isTTY ? EXIT.ok : INTERRUPTED });

const obey = async (talk: Talk, line: string): Promise<Step> => {
  const { conversation, screen, session, powers } = talk;
  const [verb = '', ...rest] = line.slice(1).trim().split(/\s+/u);
  switch (verb) {
    case 'quit':
    case 'exit':
      return { leave: EXIT.ok };
    case 'new':
      conversation.startNew();
      screen.note('a new conversation');
      return GO_ON;
    case 'to': {
      const { number } = await conversation.continueAt(
        parseMessageNumber(rest[0] ?? ''),
      );
      screen.note(`the next line answers #${number}`);
      return GO_ON;
    }
    case 'inbox':
      await printInbox(powers, session.agent);
      return GO_ON;
    case 'help':
      screen.note(HELP);
      return GO_ON;
    default:
      throw new CliError(
        `/${verb} is not a command; /help lists them, //${verb} sends the text`,
        { exitCode: EXIT.usage },
      );
  }
};

const act = (talk: Talk, line: string): Promise<Step> => {
  if (line.trim() === '') return Promise.resolve(GO_ON);
  if (line.startsWith('//')) return speak(talk, line.slice(1));
  return line.startsWith('/') ? obey(talk, line) : speak(talk, line);
};

const handle = async (talk: Talk, line: string): Promise<Step> => {
  const { lines, screen, session } = talk;
  try {
    return await Promise.race([act(talk, line), session.gone]);
  } catch (error) {
    // At a terminal a slip is told and the talk goes on; a script has an end,
    // and so has everything when the daemon is gone.
    if (!lines.isTTY) throw error;
    await Promise.race([session.gone, Promise.resolve()]);
    screen.note(reasonOf(error));
    return GO_ON;
  }
};

const converse = async (talk: Talk): Promise<number> => {
  const { lines, interrupts, session, conversation } = talk;
  let exitCode: number = EXIT.ok;
  for (;;) {
    const line = await Promise.race([
      lines.next().then((text) => ({ text })),
      interrupts.left,
      session.gone,
      conversation.broken,
    ]);
    if (line === 'left') return leaving(talk).leave ?? EXIT.ok;
    if (line.text === undefined) return exitCode;
    const step = await handle(talk, line.text);
    if (step.leave !== undefined) return step.leave;
    if (step.failed === true && !lines.isTTY) exitCode = EXIT.error;
  }
};

const greet = ({ lines, screen, peerName, conversation }: Talk): void => {
  if (!lines.isTTY) return;
  const waiting = conversation.earlier.length;
  screen.note(
    `talking with "${peerName}": type a message; /help for help, /quit to leave`,
  );
  if (waiting > 0) {
    screen.note(
      `${waiting} earlier message${waiting === 1 ? '' : 's'} in your inbox; /inbox shows, /to <n> continues`,
    );
  }
};

/** A conversation in the terminal or over a pipe; resolves to the exit code. */
export const runTalk = async (
  powers: CliPowers,
  session: Session,
  peerName: string,
  json: boolean,
): Promise<number> => {
  const interrupts = makeInterrupts(powers);
  const lines = powers.openLines();
  const screen = makeTalkScreen(powers, lines, peerName, json);
  try {
    const open = async (): Promise<Talk> => {
      const conversation = await openConversation(
        session.agent,
        peerName,
        screen.show,
      );
      const watch = await makeTurnWatch(
        powers,
        session.host,
        peerName,
        conversation,
      );
      return {
        powers,
        session,
        peerName,
        lines,
        screen,
        conversation,
        watch,
        interrupts,
      };
    };
    const talk = await Promise.race([open(), interrupts.left]);
    if (talk === 'left') return lines.isTTY ? EXIT.ok : INTERRUPTED;
    greet(talk);
    const exitCode = await converse(talk);
    await Promise.race([talk.conversation.close(), interrupts.left]);
    return exitCode;
  } finally {
    if (json) powers.stdout.write(jsonDocument(screen.shown()));
    lines.close();
    interrupts.close();
  }
};
harden(runTalk);
