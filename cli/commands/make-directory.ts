import { E } from '@endo/far';
import { parseNameOrPath, parsePath } from '../arguments.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { kindInWords, typeNamed } from '../names.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Makes an empty directory. What has the name already is never replaced. */
export const makeDirectory: Command = harden({
  spec: {
    name: 'mkdir',
    summary: 'make a directory of names',
    args: [{ syntax: '<path>', help: 'such as notes or notes/2026' }],
  },
  run: async (powers, call) => {
    const [name = ''] = call.args;
    const path = parsePath(name);
    return withPatientSession(powers, call, 'mkdir', async ({ agent }) => {
      // Some daemons would put an empty directory in the place of a full one.
      const type = await typeNamed(agent, path);
      if (type !== undefined) {
        throw new CliError(
          `"${visibleLine(name)}" is there already: ${kindInWords(type)}; nothing was changed`,
        );
      }
      await E(agent).makeDirectory(parseNameOrPath(name));
      powers.stdout.write(
        call.json
          ? jsonDocument({ directory: name })
          : `made the directory ${visibleLine(name)}\n`,
      );
      return EXIT.ok;
    });
  },
});
