import { parseMessageNumber } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import { reject as rejectMessage } from '../decide.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';

/** Says no to a request or a proposal. */
export const reject: Command = harden({
  spec: {
    name: 'reject',
    summary: 'refuse a request or a proposal',
    freeText: true,
    args: [
      { syntax: '<n>', help: 'number of the message' },
      { syntax: '[reason...]', help: 'told to whoever asked' },
    ],
    examples: ['reject 12 use the other counter'],
  },
  run: async (powers, call) => {
    const [n = '', ...words] = call.args;
    const number = parseMessageNumber(n);
    const reason = words.join(' ');
    return withPatientSession(powers, call, 'reject', async ({ agent }) => {
      await rejectMessage(agent, number, reason);
      powers.stdout.write(
        call.json
          ? jsonDocument({ rejected: number, reason })
          : `rejected #${number}\n`,
      );
      return EXIT.ok;
    });
  },
});
