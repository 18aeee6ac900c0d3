import { EXIT } from '../cli-error.ts';
import { followMail, listMail, mailData, makeNamer } from '../mail.ts';
import type { NamedMessage } from '../mail.ts';
import { mailText } from '../mail-text.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import { withPatientSession, withSession } from '../session.ts';
import type { Session } from '../session.ts';
import type { RemoteAgent } from '../remote.ts';
import { jsonDocument, toJson } from '../values.ts';

/** Writes messages one after the other: as text, or as items of one array. */
const makeWriter = (powers: CliPowers, json: boolean) => {
  const { stdout } = powers;
  const numbers = new Map<string, bigint>();
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

/** Prints the mailbox of an agent, as text. */
export const printInbox = async (
  powers: CliPowers,
  agent: RemoteAgent,
): Promise<void> => {
  const messages = await listMail(agent);
  const named = await Promise.all(messages.map(makeNamer(agent)));
  const writer = makeWriter(powers, false);
  for (const message of named) writer.write(message);
  if (named.length === 0) powers.stdout.write('no messages\n');
};
harden(printInbox);

const follow = async (
  powers: CliPowers,
  call: Invocation,
  { agent, gone }: Session,
): Promise<number> => {
  const writer = makeWriter(powers, call.json);
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
      writer.write(await named(message));
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
    options: [
      { flags: '--follow', help: 'go on with what comes, until Ctrl-C' },
    ],
  },
  run: (powers, call) => {
    if (call.options['follow'] === true) {
      return withSession(powers, call, (session) =>
        follow(powers, call, session),
      );
    }
    return withPatientSession(powers, call, 'inbox', async ({ agent }) => {
      if (!call.json) {
        await printInbox(powers, agent);
        return EXIT.ok;
      }
      const messages = await listMail(agent);
      const named = await Promise.all(messages.map(makeNamer(agent)));
      powers.stdout.write(jsonDocument(named.map(mailData)));
      return EXIT.ok;
    });
  },
});
