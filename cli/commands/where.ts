import { EXIT, usageError } from '../cli-error.ts';
import type { Command } from '../powers.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** Where the daemon keeps what it keeps, whether or not it runs. */
export const where: Command = harden({
  spec: {
    name: 'where',
    summary: 'show where state, socket, log and database are',
    args: [{ syntax: '[what]', help: 'one of state, socket, log, database' }],
  },
  run: (powers, call) => {
    const { statePath, socketPath, logPath, databasePath } = powers.paths;
    const places: Readonly<Record<string, string>> = {
      state: statePath,
      socket: socketPath,
      log: logPath,
      database: databasePath,
    };
    const [what] = call.args;
    if (what === undefined) {
      const lines = Object.entries(places).map(
        ([name, path]) => `${name.padEnd(10)}${visibleLine(path)}\n`,
      );
      powers.stdout.write(call.json ? jsonDocument(places) : lines.join(''));
      return Promise.resolve(EXIT.ok);
    }
    const place = Object.hasOwn(places, what) ? places[what] : undefined;
    if (place === undefined) {
      throw usageError(
        `where ${visibleLine(what)}: say one of ${Object.keys(places).join(', ')}`,
      );
    }
    powers.stdout.write(
      call.json ? jsonDocument(place) : `${visibleLine(place)}\n`,
    );
    return Promise.resolve(EXIT.ok);
  },
});
