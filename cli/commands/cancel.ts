import { E } from '@endo/far';
import { actingHost } from '../acting-host.ts';
import { parseNameOrPath } from '../arguments.ts';
import { EXIT } from '../cli-error.ts';
import { assertKnown } from '../names.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Ends what runs under a name; it is made anew when it is looked up. */
export const cancel: Command = harden({
  spec: {
    name: 'cancel',
    summary: 'end a caplet, a worker or the result of code',
    freeText: true,
    args: [
      { syntax: '<name>', help: 'what to end; its name stays' },
      { syntax: '[reason...]', help: 'told to those who wait for it' },
    ],
    examples: ['cancel controller-for-hob "it hangs"'],
  },
  run: async (powers, call) => {
    const [name = '', ...words] = call.args;
    const path = parseNameOrPath(name);
    const reason = words.join(' ') || 'cancelled from the command line';
    return withPatientSession(powers, call, 'cancel', async ({ agent }) => {
      const host = await actingHost(agent, 'cancel', call);
      await assertKnown(host, name);
      await E(host).cancel(path, Error(reason));
      powers.stdout.write(
        call.json
          ? jsonDocument({ cancelled: name, reason })
          : `cancelled ${visibleLine(name)}; it is made anew when it is used\n`,
      );
      return EXIT.ok;
    });
  },
});
