import { EXIT, INTERRUPTED } from '../cli-error.ts';
import type { CliPowers } from '../powers.ts';
import type { Session } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { openConversation } from './conversation.ts';
import { converse } from './converse.ts';
import { makeInterrupts } from './interrupts.ts';
import type { Talk } from './talk-powers.ts';
import { makeTalkScreen } from './talk-screen.ts';
import { makeTurnWatch } from './turn-watch.ts';

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
  if (conversation.earlierOpen > 0) {
    screen.note(
      `${conversation.earlierOpen} of them ${conversation.earlierOpen === 1 ? 'waits' : 'wait'} for your decision; /open shows`,
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
