import { parseMessageNumber } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import { grant as grantProposal } from '../decide.ts';
import type { Command } from '../powers.ts';
import { withSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';

/** Runs the code that was proposed; waits for it, however long it takes. */
export const grant: Command = harden({
  spec: {
    name: 'grant',
    summary: 'run the code of a proposal, once, and show its result',
    args: [{ syntax: '<n>', help: 'number of the proposal, as in inbox' }],
    examples: ['inbox 12', 'grant 12'],
  },
  run: async (powers, call) => {
    const number = parseMessageNumber(call.args[0] ?? '');
    return withSession(powers, call, async ({ agent }) => {
      const result = await grantProposal(agent, number);
      powers.stdout.write(
        call.json
          ? jsonDocument({ granted: number, result })
          : `${readable(result)}\n`,
      );
      return EXIT.ok;
    });
  },
});
