import { E } from '@endo/far';
import { parsePath } from '../arguments.ts';
import { CliError, EXIT } from '../cli-error.ts';
import { assertKnown, kindInWords, typeOfLocator } from '../names.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** The locator of a value, by its name, and what kind of value it is. */
export const locate: Command = harden({
  spec: {
    name: 'locate',
    summary: 'show the locator and the kind of a value',
    args: [{ syntax: '<path>', help: 'a name or a path' }],
  },
  run: async (powers, call) => {
    const [path = ''] = call.args;
    const segments = parsePath(path);
    return withPatientSession(powers, call, 'locate', async ({ agent }) => {
      await assertKnown(agent, path);
      const locator = await E(agent).locate(...segments);
      if (locator === undefined) {
        throw new CliError(`"${visibleLine(path)}" has no locator`);
      }
      const kind = typeOfLocator(locator);
      powers.stdout.write(
        call.json
          ? jsonDocument({ path, locator, kind })
          : `${visibleLine(locator)}\n${kindInWords(kind)} (${visibleLine(kind)})\n`,
      );
      return EXIT.ok;
    });
  },
});
