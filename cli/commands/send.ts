import { E } from '@endo/far';
import { parseNameOrPath } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import { parseMessageText } from '../message-text.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Sends a message; the answer comes to the inbox. */
export const send: Command = harden({
  spec: {
    name: 'send',
    summary: 'send a message, with values of yours',
    freeText: true,
    args: [
      { syntax: '<agent>', help: 'pet name of the recipient' },
      {
        syntax: '<text...>',
        help: 'text; @edge carries the value of that name, @edge:pet another; @@ is a plain @',
      },
    ],
    examples: ['send hob "please look at @report:notes/today"'],
  },
  run: async (powers, call) => {
    const [to = '', ...words] = call.args;
    const parts = parseMessageText(words.join(' '));
    const { strings, edgeNames, petNames } = parts;
    const recipient = parseNameOrPath(to);
    return withPatientSession(powers, call, 'send', async ({ agent }) => {
      await E(agent).send(recipient, strings, edgeNames, petNames);
      powers.stdout.write(
        call.json
          ? jsonDocument({ to: recipient, ...parts })
          : `sent to ${visibleLine(to)}\n`,
      );
      return EXIT.ok;
    });
  },
});
