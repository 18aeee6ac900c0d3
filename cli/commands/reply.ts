import { E } from '@endo/far';
import { parseMessageNumber } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import { parseMessageText } from '../message-text.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';

/** Answers a message in its thread. */
export const reply: Command = harden({
  spec: {
    name: 'reply',
    summary: 'answer a message in its thread',
    freeText: true,
    args: [
      { syntax: '<n>', help: 'number of the message' },
      { syntax: '<text...>', help: 'as for send' },
    ],
  },
  run: async (powers, call) => {
    const [n = '', ...words] = call.args;
    const number = parseMessageNumber(n);
    const parts = parseMessageText(words.join(' '));
    const { strings, edgeNames, petNames } = parts;
    return withPatientSession(powers, call, 'reply', async ({ agent }) => {
      await E(agent).reply(number, strings, edgeNames, petNames);
      powers.stdout.write(
        call.json
          ? jsonDocument({ number, ...parts })
          : `replied to #${number}\n`,
      );
      return EXIT.ok;
    });
  },
});
