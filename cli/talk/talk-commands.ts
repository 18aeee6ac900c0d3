import { parseMessageNumber } from '../arguments.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { printInbox, printMessage } from '../commands/inbox.ts';
import { GO_ON } from './talk-powers.ts';
import type { Step, Talk } from './talk-powers.ts';

const HELP = `a line is sent to the agent, in the conversation you are having
/new       begin a new conversation
/to <n>    continue message n
/inbox     show your mail
/show <n>  show one message whole
/open      show what waits for your decision
/quit      leave (so do Ctrl-D, and Ctrl-C when nothing runs)
//text     send text that begins with a slash
decisions; the number may be left out when only one is open:
/grant [n]            run the proposed code, once
/reject [n] [reason]  refuse a proposal or a request
/counter [n] <code>   propose other code instead
/resolve [n] <name>   answer a request with a value of yours
Ctrl-C stops a running turn; twice leaves.`;

/** `/verb text` in its parts; `undefined` for a line that is to be sent. */
export const parseCommand = (
  line: string,
): { readonly verb: string; readonly text: string } | undefined => {
  const [, verb, text = ''] = /^\/(?!\/)(\S*)\s*([\s\S]*)$/u.exec(line) ?? [];
  return verb === undefined ? undefined : { verb, text: text.trimEnd() };
};
harden(parseCommand);

// What a person may want to do or to see while a turn runs.
const AT_ONCE: readonly string[] = harden(['inbox', 'show', 'open', 'help']);

/** Whether a command stands outside of the order of what is sent. */
export const isAtOnce = (verb: string): boolean => AT_ONCE.includes(verb);
harden(isAtOnce);

const showOpen = async ({ conversation, screen }: Talk): Promise<void> => {
  const open = await conversation.allOpen();
  if (open.length === 0) screen.note('nothing waits for your decision');
  for (const message of open) screen.show({ type: 'decision', message });
};

/** Does what a command says that neither decides nor leaves. */
export const obey = async (
  talk: Talk,
  verb: string,
  text: string,
): Promise<Step> => {
  const { conversation, screen, session } = talk;
  switch (verb) {
    case 'new':
      conversation.startNew();
      screen.note('a new conversation');
      return GO_ON;
    case 'to': {
      const { number } = await conversation.continueAt(
        parseMessageNumber(text),
      );
      screen.note(`the next line answers #${number}`);
      return GO_ON;
    }
    case 'inbox':
      await screen.page((powers) => printInbox(powers, session.agent));
      return GO_ON;
    case 'show': {
      const number = parseMessageNumber(text);
      await screen.page((powers) =>
        printMessage(powers, session.agent, number),
      );
      return GO_ON;
    }
    case 'open':
      await showOpen(talk);
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
harden(obey);
