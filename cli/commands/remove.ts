import { E } from '@endo/far';
import { parsePath } from '../arguments.ts';
import { CliError, EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Takes a name away; what nothing names any more is collected. */
export const remove: Command = harden({
  spec: {
    name: 'remove',
    summary: 'take a name away',
    args: [{ syntax: '<path>', help: 'a name or a path' }],
  },
  run: async (powers, call) => {
    const name = call.args[0] ?? '';
    const path = parsePath(name);
    return withPatientSession(powers, call, 'remove', async ({ agent }) => {
      if (!(await E(agent).has(...path))) {
        throw new CliError(
          `"${visibleLine(name)}" names nothing; "list" shows the names`,
        );
      }
      await E(agent).remove(...path);
      powers.stdout.write(
        call.json
          ? jsonDocument({ removed: name })
          : `removed ${visibleLine(name)}\n`,
      );
      return EXIT.ok;
    });
  },
});
