import { E } from '@endo/far';
import { parseMessageNumber } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';

/** Takes a message out of the inbox. */
export const dismiss: Command = harden({
  spec: {
    name: 'dismiss',
    summary: 'take a message out of the inbox',
    args: [{ syntax: '<n>', help: 'number of the message' }],
  },
  run: async (powers, call) => {
    const number = parseMessageNumber(call.args[0] ?? '');
    return withPatientSession(powers, call, 'dismiss', async ({ agent }) => {
      await E(agent).dismiss(number);
      powers.stdout.write(
        call.json
          ? jsonDocument({ dismissed: number })
          : `dismissed #${number}\n`,
      );
      return EXIT.ok;
    });
  },
});
