import { optionText, parseMessageNumber } from '../arguments.ts';
import { CliError, EXIT, usageError } from '../cli-error.ts';
import { followMail, listMail, mailData, makeNamer } from '../mail.ts';
import type { NamedMessage } from '../mail.ts';
import { mailText } from '../mail-text.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import { withPatientSession, withSession } from '../session.ts';
import type { Session } from '../session.ts';
import type { RemoteAgent, WireMessage } from '../remote.ts';
import { jsonDocument, toJson } from '../values.ts';
import { visibleLine } from '../visible.ts';

const numbersOf = (messages: readonly WireMessage[]): Map<string, bigint> =>
  new Map(messages.map(({ messageId, number }) => [messageId, number]));

/** Writes messages one after the other: as text, or as items of one array. */
const makeWriter = (
  powers: CliPowers,
  json: boolean,
  known: readonly WireMessage[] = [],
) => {
  const { stdout } = powers;
  const numbers = numbersOf(known);
  let count = 0;
  if (json) stdout.write('[');
  return harden({
    write: (message: NamedMessage): void => {
      numbers.set(message.messageId, message.number);
      if (json) {
        const item = JSON.stringify(toJson(mailData(message)));
        stdout.write(`${count > 0 ? ',' : ''}\n  ${item}`);
      } else {
        const gap = count > 0 ? '\n' : '';
        stdout.write(`${gap}${mailText(stdout, powers.env, message, numbers)}`);
      }
      count += 1;
    },
    end: (): void => {
      if (json) stdout.write(count > 0 ? '\n]\n' : ']\n');
    },
  });
};

/** How many messages are wanted; all of them when it is not said. */
const lastOf = (call: Invocation): number => {
  const given = optionText(call.options['last']);
  if (given === undefined) return Infinity;
  if (/^\d{1,9}$/u.test(given)) return Number(given);
  throw usageError(`--last ${visibleLine(given)}: say how many, as 10`);
};

const newest = <T>(messages: readonly T[], last: number): readonly T[] =>
  messages.slice(Math.max(0, messages.length - last));

/** Prints the mailbox of an agent, as text. */
export const printInbox = async (
  powers: CliPowers,
  agent: RemoteAgent,
  last = Infinity,
): Promise<void> => {
  const messages = await listMail(agent);
  const shown = newest(messages, last);
  const named = await Promise.all(shown.map(makeNamer(agent)));
  const writer = makeWriter(powers, false, messages);
  for (const message of named) writer.write(message);
  if (messages.length === 0) powers.stdout.write('no messages\n');
};
harden(printInbox);

const findMessage = async (
  agent: RemoteAgent,
  number: bigint,
): Promise<{ message: NamedMessage; numbers: Map<string, bigint> }> => {
  const messages = await listMail(agent);
  const message = messages.find((each) => each.number === number);
  if (message === undefined) {
    throw new CliError(
      `there is no message #${number} in the inbox; "inbox" lists it`,
    );
  }
  const named = await makeNamer(agent)(message);
  return { message: named, numbers: numbersOf(messages) };
};

/** Prints one message, whole, however long its code. */
export const printMessage = async (
  powers: CliPowers,
  agent: RemoteAgent,
  number: bigint,
): Promise<void> => {
  const { message, numbers } = await findMessage(agent, number);
  const { stdout, env } = powers;
  stdout.write(mailText(stdout, env, message, numbers, true));
};
harden(printMessage);

const follow = async (
  powers: CliPowers,
  call: Invocation,
  { agent, gone }: Session,
): Promise<number> => {
  const last = lastOf(call);
  const before = last === Infinity ? [] : await listMail(agent);
  const skipped = before.slice(0, before.length - newest(before, last).length);
  const watermark = skipped.at(-1)?.number ?? -1n;
  const writer = makeWriter(powers, call.json, before);
  const named = makeNamer(agent);
  let stopListening: () => void = () => undefined;
  const left = new Promise<undefined>((resolve) => {
    stopListening = powers.onInterrupt(() => resolve(undefined));
  });
  try {
    const follower = await followMail(agent);
    for (;;) {
      const message = await Promise.race([follower.next(), left, gone]);
      if (message === undefined) return EXIT.ok;
      if (message.number > watermark) writer.write(await named(message));
    }
  } finally {
    // Also when the daemon goes: what was printed stays one document.
    writer.end();
    stopListening();
  }
};

/** The mailbox, oldest message first. */
export const inbox: Command = harden({
  spec: {
    name: 'inbox',
    summary: 'show your mail',
    args: [{ syntax: '[n]', help: 'only this message, and all of its code' }],
    options: [
      { flags: '--follow', help: 'go on with what comes, until Ctrl-C' },
      { flags: '--last <n>', help: 'only the newest n of what is there' },
    ],
  },
  run: async (powers, call) => {
    const [n] = call.args;
    const last = lastOf(call);
    const number = n === undefined ? undefined : parseMessageNumber(n);
    if (call.options['follow'] === true) {
      return withSession(powers, call, (session) =>
        follow(powers, call, session),
      );
    }
    return withPatientSession(powers, call, 'inbox', async ({ agent }) => {
      if (number !== undefined) {
        if (!call.json) await printMessage(powers, agent, number);
        else {
          const { message } = await findMessage(agent, number);
          powers.stdout.write(jsonDocument(mailData(message)));
        }
        return EXIT.ok;
      }
      if (!call.json) {
        await printInbox(powers, agent, last);
        return EXIT.ok;
      }
      const messages = newest(await listMail(agent), last);
      const named = await Promise.all(messages.map(makeNamer(agent)));
      powers.stdout.write(jsonDocument(named.map(mailData)));
      return EXIT.ok;
    });
  },
});
