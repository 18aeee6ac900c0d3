import { E } from '@endo/far';
import { parseNameOrPath } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { methodNames, withPatientSession } from '../session.ts';
import { jsonDocument, readable, styleOf } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** A value, by its name. Of an object, what it is called and what it can do. */
export const show: Command = harden({
  spec: {
    name: 'show',
    summary: 'show the value that a name or a path stands for',
    args: [{ syntax: '<path>', help: 'such as counter or notes/today' }],
  },
  run: (powers, call) =>
    withPatientSession(powers, call, 'show', async ({ agent }) => {
      const value = await E(agent).lookup(parseNameOrPath(call.args[0] ?? ''));
      if (call.json) {
        powers.stdout.write(jsonDocument(value));
        return EXIT.ok;
      }
      powers.stdout.write(`${readable(value)}\n`);
      if (styleOf(value) === 'remotable') {
        const methods = (await methodNames(value)).filter(
          (name) => !name.startsWith('__'),
        );
        powers.stdout.write(
          methods.map((name) => `  ${visibleLine(name)}()\n`).join(''),
        );
      }
      return EXIT.ok;
    }),
});
