import { EXIT } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { ensureDaemon } from '../start-daemon.ts';
import { jsonDocument } from '../values.ts';

/** Starts the embedded daemon and leaves it running. */
export const start: Command = harden({
  spec: {
    name: 'start',
    summary: 'start the embedded daemon, if none answers',
  },
  run: async (powers, call) => {
    const { socketPath } = powers.paths;
    const { started, pid } = await ensureDaemon(powers);
    const process = pid === undefined ? '' : `, process ${pid}`;
    const line = started
      ? `started a daemon at ${socketPath}${process}\n`
      : `a daemon answers already at ${socketPath}\n`;
    powers.stdout.write(
      call.json
        ? jsonDocument({
            started,
            socketPath,
            ...(pid === undefined ? {} : { pid }),
          })
        : line,
    );
    return EXIT.ok;
  },
});
