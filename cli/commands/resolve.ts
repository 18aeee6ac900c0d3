import { E } from '@endo/far';
import { parseMessageNumber, parseNameOrPath } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Answers a request with a value. */
export const resolve: Command = harden({
  spec: {
    name: 'resolve',
    summary: 'answer a request with a value of yours',
    args: [
      { syntax: '<n>', help: 'number of the request' },
      { syntax: '<name>', help: 'your name for the value, or a path' },
    ],
    examples: ['resolve 14 my-counter'],
  },
  run: async (powers, call) => {
    const [n = '', name = ''] = call.args;
    const number = parseMessageNumber(n);
    const path = parseNameOrPath(name);
    return withPatientSession(powers, call, 'resolve', async ({ agent }) => {
      await E(agent).resolve(number, path);
      powers.stdout.write(
        call.json
          ? jsonDocument({ resolved: number, name })
          : `answered #${number} with ${visibleLine(name)}\n`,
      );
      return EXIT.ok;
    });
  },
});
