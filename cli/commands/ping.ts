import { E } from '@endo/far';
import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { withPatientSession } from '../session.ts';
import { jsonDocument, readable } from '../values.ts';

/** Asks the daemon for a sign of life. */
export const ping: Command = harden({
  spec: {
    name: 'ping',
    summary: 'ask the daemon for a sign of life',
  },
  run: (powers, call) =>
    withPatientSession(powers, {}, 'ping', async ({ endo }) => {
      const answer = await E(endo).ping();
      powers.stdout.write(
        call.json ? jsonDocument(answer) : `${readable(answer)}\n`,
      );
      return EXIT.ok;
    }),
});
