import { E } from '@endo/far';
import { parseMessageNumber } from '../arguments.ts';
import { CliError, EXIT, reasonOf, usageError } from '../cli-error.ts';
import { listMail } from '../mail.ts';
import { openDecisions } from '../open-decisions.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import type { RemoteAgent } from '../remote.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';

/** Numbers of the messages, and of those that wait for a decision. */
const look = async (agent: RemoteAgent) => {
  let messages;
  try {
    messages = await listMail(agent);
  } catch (error) {
    throw new CliError(
      `the inbox cannot be listed (${reasonOf(error)}); "inbox --follow" shows it, and "dismiss <n>" takes one message out`,
      { cause: error },
    );
  }
  const open = await openDecisions(agent, messages);
  return {
    numbers: messages.map(({ number }) => number),
    open: new Set(open.map(({ number }) => number)),
  };
};

/** An undecided message goes only by its number: that declines it. */
const dismissAll = (powers: CliPowers, call: Invocation): Promise<number> =>
  withPatientSession(powers, call, 'dismiss', async ({ agent }) => {
    const { numbers, open } = await look(agent);
    const dismissed = numbers.filter((number) => !open.has(number));
    await Promise.all(dismissed.map((number) => E(agent).dismiss(number)));
    const kept = [...open];
    const count = dismissed.length;
    const rest =
      kept.length === 0
        ? ''
        : `; kept ${kept.map((number) => `#${number}`).join(', ')}, undecided: dismissed by number, it counts as rejected`;
    powers.stdout.write(
      call.json
        ? jsonDocument({ dismissed, kept })
        : `dismissed ${count} message${count === 1 ? '' : 's'}${rest}\n`,
    );
    return EXIT.ok;
  });

const dismissOne = async (
  powers: CliPowers,
  call: Invocation,
  given: string,
): Promise<number> => {
  const number = parseMessageNumber(given);
  return withPatientSession(powers, call, 'dismiss', async ({ agent }) => {
    const { open } = await look(agent).catch((error: unknown) => {
      // Dismissing is the remedy for a mailbox that cannot be listed.
      if (error instanceof CliError) return { open: new Set<bigint>() };
      throw error;
    });
    const undecided = open.has(number);
    await E(agent).dismiss(number);
    powers.stdout.write(
      call.json
        ? jsonDocument({ dismissed: number })
        : `dismissed #${number}${undecided ? ', which counts as rejected' : ''}\n`,
    );
    return EXIT.ok;
  });
};

/** Takes a message out of the inbox, or all of them. */
export const dismiss: Command = harden({
  spec: {
    name: 'dismiss',
    summary: 'take a message out of the inbox',
    args: [{ syntax: '[n]', help: 'number of the message' }],
    options: [
      { flags: '--all', help: 'all but those that you have to decide' },
    ],
  },
  run: async (powers, call) => {
    const [given] = call.args;
    const all = call.options['all'] === true;
    if (all === (given !== undefined)) {
      throw usageError(
        'dismiss needs the number of a message, or --all; "inbox" shows the numbers',
      );
    }
    return given === undefined
      ? dismissAll(powers, call)
      : dismissOne(powers, call, given);
  },
});
