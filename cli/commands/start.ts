import { EXIT } from '../cli-error.ts';
import { describeDaemon, otherDaemonNote } from '../daemon-origin.ts';
import type { Command } from '../powers.ts';
import { ensureDaemon, replaceDaemon } from '../start-daemon.ts';
import { jsonDocument } from '../values.ts';

/** Starts the embedded daemon and leaves it running. */
export const start: Command = harden({
  spec: {
    name: 'start',
    summary: 'start the embedded daemon, if none answers',
    options: [
      {
        flags: '--replace',
        help: 'stop the one that answers first, and start the one of this folder',
      },
    ],
  },
  run: async (powers, call) => {
    const { socketPath } = powers.paths;
    const replace = call.options['replace'] === true;
    const { started, pid, other } = await (replace
      ? replaceDaemon(powers)
      : ensureDaemon(powers));
    if (other !== undefined) {
      powers.stderr.write(
        replace
          ? `replaced ${describeDaemon(other)}\n`
          : `${otherDaemonNote(powers, other)}\n`,
      );
    }
    const process = pid === undefined ? '' : `, process ${pid}`;
    const line = started
      ? `started a daemon at ${socketPath}${process}\n`
      : `a daemon answers already at ${socketPath}\n`;
    powers.stdout.write(
      call.json
        ? jsonDocument({
            started,
            socketPath,
            ...(other === undefined ? {} : { other }),
            ...(pid === undefined ? {} : { pid }),
          })
        : line,
    );
    return EXIT.ok;
  },
});
