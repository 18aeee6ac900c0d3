import { CliError, EXIT, usageError } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { jsonDocument } from '../values.ts';
import { visible } from '../visible.ts';

const DEFAULT_LINES = 100;

const lineCount = (given: unknown): number => {
  if (typeof given !== 'string') return DEFAULT_LINES;
  if (!/^\d+$/u.test(given)) {
    throw usageError(`--lines ${given}: say how many lines, as 100`);
  }
  return Number(given);
};

/** The end of the daemon's log, whether or not it runs. */
export const log: Command = harden({
  spec: {
    name: 'log',
    summary: "show the end of the daemon's log",
    options: [
      {
        flags: '-n, --lines <n>',
        help: `how many (default: ${DEFAULT_LINES})`,
      },
    ],
  },
  run: async (powers, call) => {
    const count = lineCount(call.options['lines']);
    const text = await powers.readLog();
    if (text === undefined) {
      throw new CliError(
        `no log at ${powers.paths.logPath}; a daemon writes it from its first start`,
      );
    }
    const all = text.split('\n');
    if (all.at(-1) === '') all.pop();
    const lines = count === 0 ? [] : all.slice(-count);
    powers.stdout.write(
      call.json
        ? jsonDocument({ logPath: powers.paths.logPath, lines })
        : lines.map((line) => `${visible(line)}\n`).join(''),
    );
    return EXIT.ok;
  },
});
