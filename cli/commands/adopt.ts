import { E } from '@endo/far';
import { parseMessageNumber, parseNameOrPath } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import { assertFree } from '../names.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Gives a value that came with a message a name of one's own. */
export const adopt: Command = harden({
  spec: {
    name: 'adopt',
    summary: 'keep a value that came with a message',
    args: [
      { syntax: '<n>', help: 'number of the message' },
      { syntax: '<edge>', help: 'its name in the message, without the @' },
    ],
    options: [
      { flags: '--name <name>', help: 'your name for it (default: the edge)' },
      { flags: '--replace', help: 'take the name from what has it' },
    ],
  },
  run: async (powers, call) => {
    const [n = '', edge = ''] = call.args;
    const number = parseMessageNumber(n);
    const edgeName = edge.replace(/^@/u, '');
    const given = call.options['name'];
    const name = typeof given === 'string' ? given : edgeName;
    const path = parseNameOrPath(name);
    return withPatientSession(powers, call, 'adopt', async ({ agent }) => {
      await assertFree(agent, name, call.options['replace'] === true);
      await E(agent).adopt(number, edgeName, path);
      powers.stdout.write(
        call.json
          ? jsonDocument({ number, edgeName, name })
          : `@${visibleLine(edgeName)} of #${number} is now ${visibleLine(name)}\n`,
      );
      return EXIT.ok;
    });
  },
});
