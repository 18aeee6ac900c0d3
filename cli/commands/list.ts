import { E } from '@endo/far';
import { parsePath } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** The names in a directory, one a line. */
export const list: Command = harden({
  spec: {
    name: 'list',
    summary: 'list the names in a directory',
    args: [
      { syntax: '[path]', help: 'such as notes/2026 (default: your own)' },
    ],
  },
  run: (powers, call) =>
    withPatientSession(powers, call, 'list', async ({ agent }) => {
      const [path] = call.args;
      const names = await E(agent).list(
        ...(path === undefined ? [] : parsePath(path)),
      );
      powers.stdout.write(
        call.json
          ? jsonDocument(names)
          : names.map((name) => `${visibleLine(name)}\n`).join(''),
      );
      return EXIT.ok;
    }),
});
