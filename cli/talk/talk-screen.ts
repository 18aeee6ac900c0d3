import { decisionText, shellVerbs, talkVerbs } from '../decision-text.ts';
import { indent, makeEmphasis, paragraph } from '../layout.ts';
import { mailData } from '../mail.ts';
import type { NamedMessage } from '../mail.ts';
import { bodyText, packageText } from '../mail-text.ts';
import type { CliPowers, LineSource } from '../powers.ts';
import type { WireMessage } from '../remote.ts';
import { visible, visibleLine } from '../visible.ts';
import type { TalkEvent } from './conversation.ts';

/** Where a conversation is shown, on a terminal or into a pipe. */
export type TalkScreen = {
  readonly show: (event: TalkEvent) => void;
  /** What `body` writes to standard output, at once and above the prompt. */
  readonly page: (body: (powers: CliPowers) => Promise<void>) => Promise<void>;
  /** A remark of the program, on standard error. */
  readonly note: (text: string) => void;
  /** Every message that was shown, as data. */
  readonly shown: () => readonly Record<string, unknown>[];
};

const DEPTH_MARK = /^\[depth:\d+\] ?/u;

/** The text of an answer without the mark that counts the exchanges. */
const answerText = (message: WireMessage): string =>
  message.type === 'package'
    ? visible(packageText(message).replace(DEPTH_MARK, ''))
    : bodyText(message);

/** How to keep the values that came with a message. */
const carriedNote = ({ number, names }: WireMessage): string | undefined => {
  const [first] = Array.isArray(names) ? names.map(String) : [];
  return first === undefined
    ? undefined
    : `#${number} carries values; "npm run -s hob -- adopt ${number} ${visibleLine(first)}" keeps one`;
};

/**
 * Answers go to standard output and nothing else does, so that a pipe holds
 * the conversation alone; on a terminal all stands in the order it came.
 */
export const makeTalkScreen = (
  powers: CliPowers,
  lines: LineSource,
  peerName: string,
  json: boolean,
): TalkScreen => {
  const { stdout, stderr, env } = powers;
  const { bold, dim } = makeEmphasis(stdout, env);
  const onTerminal = lines.isTTY && stdout.isTTY;
  const peer = visibleLine(peerName);
  const shown: Record<string, unknown>[] = [];

  const note = (text: string): void =>
    lines.print(stderr, `${dim(visible(text))}\n`);

  const answer = (message: WireMessage): void => {
    const text = answerText(message);
    if (onTerminal) {
      lines.print(
        stdout,
        `${bold(`${peer}>`)} ${dim(`#${message.number}`)}\n${paragraph(stdout, text, 2)}\n`,
      );
    } else {
      lines.print(stdout, `${text}\n`);
    }
    const carried = carriedNote(message);
    if (carried !== undefined) note(carried);
  };

  const decision = (message: NamedMessage): void => {
    // Whoever reads a pipe decides elsewhere.
    const verbs = lines.isTTY ? talkVerbs : shellVerbs;
    const layout = { output: stdout, verbs, whole: false, spaces: 2 };
    const body = decisionText(layout, message);
    lines.print(
      stdout,
      `${bold(`${peer} needs a decision`)} (#${message.number}):\n${indent(body, 2)}\n`,
    );
  };

  const showText = (event: TalkEvent): void => {
    const { message } = event;
    if (event.type === 'answer') answer(message);
    else if (event.type === 'decision') decision(event.message);
    else if (onTerminal) {
      lines.print(
        stdout,
        `${bold(`${peer}>`)} ${dim(`#${message.number}, another conversation; /to ${message.number} continues it`)}\n${paragraph(stdout, answerText(message), 2)}\n`,
      );
    }
    // Into a pipe, mail of other conversations is not written: it is in the
    // inbox, and a script must get the same lines each time.
  };

  return harden({
    show: (event: TalkEvent) => {
      const { message, type } = event;
      if (json) {
        if (type !== 'aside') {
          shown.push(mailData({ ...message, fromNames: [], toNames: [] }));
        }
      } else showText(event);
    },
    page: async (body: (powers: CliPowers) => Promise<void>) => {
      let text = '';
      const write = (more: string): void => {
        text += more;
      };
      await body({ ...powers, stdout: { ...stdout, write } });
      if (text !== '') lines.print(json ? stderr : stdout, text);
    },
    note,
    shown: () => [...shown],
  });
};
harden(makeTalkScreen);
