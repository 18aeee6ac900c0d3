import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { stopDaemon } from '../start-daemon.ts';
import { jsonDocument } from '../values.ts';

/** Stops the daemon; its agents come back when it is started again. */
export const stop: Command = harden({
  spec: {
    name: 'stop',
    summary: 'stop the daemon; nothing is lost',
  },
  run: async (powers, call) => {
    const { socketPath } = powers.paths;
    const stopped = (await stopDaemon(powers)) === 'stopped';
    const line = stopped
      ? `stopped the daemon at ${socketPath}\n`
      : `no daemon runs at ${socketPath}\n`;
    powers.stdout.write(
      call.json ? jsonDocument({ stopped, socketPath }) : line,
    );
    return EXIT.ok;
  },
});
