import { E } from '@endo/far';
import { optionText, parseNameOrPath } from '../arguments.ts';
import { EXIT, usageError } from '../cli-error.ts';
import { listMail } from '../mail.ts';
import type { CliPowers, Command, Invocation } from '../powers.ts';
import type { NameOrPath, RemoteAgent } from '../remote.ts';
import { withSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';
import { visibleLine } from '../visible.ts';

type Asked = {
  readonly number: bigint | undefined;
  readonly answer: Promise<unknown>;
};

/** Asks; resolves when the request lies in both mailboxes. */
const ask = async (
  agent: RemoteAgent,
  to: NameOrPath,
  description: string,
  responseName: NameOrPath | undefined,
): Promise<Asked> => {
  const before = await listMail(agent);
  const known = new Set(before.map(({ messageId }) => messageId));
  const answer = E(agent).request(to, description, responseName);
  // Heard where it is awaited; a refusal may also come when nobody does.
  answer.catch(() => undefined);
  const findOwn = async (): Promise<bigint | undefined> => {
    // Only a request that was refused at once is not in the mailbox by now.
    await E(agent).has('SELF');
    const own = (await listMail(agent)).find(
      (message) =>
        message.type === 'request' &&
        message['description'] === description &&
        !known.has(message.messageId),
    );
    return own?.number;
  };
  const number = await findOwn();
  if (number === undefined) await answer;
  return { number, answer };
};

const untilInterrupted = (powers: CliPowers): [Promise<'left'>, () => void] => {
  let end: () => void = () => undefined;
  const left = new Promise<'left'>((resolve) => {
    end = powers.onInterrupt(() => resolve('left'));
  });
  return [left, end];
};

const tellAnswer = (
  powers: CliPowers,
  call: Invocation,
  answer: unknown,
  name: string | undefined,
): void => {
  const named = name === undefined ? '' : `it is now ${visibleLine(name)}\n`;
  powers.stdout.write(
    call.json
      ? jsonDocument({ answer, ...(name === undefined ? {} : { name }) })
      : `${readable(answer)}\n${named}`,
  );
};

/** Asks an agent for a value. The answer may take days, and a restart. */
export const request: Command = harden({
  spec: {
    name: 'request',
    summary: 'ask an agent for a value, and wait for it',
    freeText: true,
    args: [
      { syntax: '<agent>', help: 'pet name of whom you ask' },
      { syntax: '<description...>', help: 'what you ask for, in words' },
    ],
    options: [
      { flags: '--name <name>', help: 'your name for the answer' },
      { flags: '--no-wait', help: 'the answer comes under that name' },
    ],
    examples: ['request hob "a counter that starts at 5" --name counter'],
  },
  run: async (powers, call) => {
    const [to = '', ...words] = call.args;
    const name = optionText(call.options['name']);
    const waits = call.options['wait'] !== false;
    if (!waits && name === undefined) {
      throw usageError(
        'request --no-wait needs --name: else nothing would hold the answer',
      );
    }
    const recipient = parseNameOrPath(to);
    const responseName = name === undefined ? undefined : parseNameOrPath(name);
    return withSession(powers, call, async ({ agent }) => {
      const { number, answer } = await ask(
        agent,
        recipient,
        words.join(' '),
        responseName,
      );
      const shown = number === undefined ? '' : ` (#${number})`;
      if (!waits) {
        powers.stdout.write(
          call.json
            ? jsonDocument({ asked: to, number, name })
            : `asked ${visibleLine(to)}${shown}; the answer will be ${visibleLine(name ?? '')}\n`,
        );
        return EXIT.ok;
      }
      const [left, stopListening] = untilInterrupted(powers);
      try {
        powers.stderr.write(
          `asked ${visibleLine(to)}${shown}; Ctrl-C ends the wait, not the request\n`,
        );
        const outcome = await Promise.race([
          answer.then((value) => ({ value })),
          left,
        ]);
        if (outcome === 'left') {
          powers.stdout.write(
            call.json
              ? jsonDocument({ asked: to, number })
              : `${visibleLine(to)} has not answered yet${shown}\n`,
          );
          return EXIT.decision;
        }
        tellAnswer(powers, call, outcome.value, name);
        return EXIT.ok;
      } finally {
        stopListening();
      }
    });
  },
});
