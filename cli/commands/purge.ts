import { join } from 'node:path';
import { E } from '@endo/far';
import { CliError, EXIT } from '../cli-error.ts';
import { confirm } from '../confirm.ts';
import type { CliPowers, Command } from '../powers.ts';
import { isNobodyThere, withPatientSession } from '../session.ts';
import { stopDaemon, untilGone } from '../start-daemon.ts';
import { jsonDocument } from '../values.ts';
import { visibleLine } from '../visible.ts';

/** All that a daemon of ours, or this program for it, puts into its directory. */
const OURS = /^(?:hob\.(?:sqlite|sock).*|daemon\.log.*|cache)$/u;

/** Names in the state directory, `undefined` when it is not there. */
const stateEntries = async ({
  files,
  paths,
}: CliPowers): Promise<readonly string[] | undefined> => {
  const { statePath } = paths;
  const shown = visibleLine(statePath);
  const kind = await files.kindOf(statePath);
  if (kind === undefined) return undefined;
  if (kind !== 'directory') {
    throw new CliError(
      `purge: ${shown} is no directory of its own; nothing was changed. Name the directory itself in HOB_STATE_PATH`,
    );
  }
  const entries = await files.listDirectory(statePath);
  const strange = entries.filter((entry) => !OURS.test(entry));
  const isState =
    entries.includes('hob.sqlite') || entries.includes('daemon.log');
  if (strange.length > 0 || !isState) {
    const why =
      strange.length > 0
        ? `${strange
            .slice(0, 3)
            .map((entry) => `"${visibleLine(entry)}"`)
            .join(', ')} is not of a daemon`
        : 'no daemon has kept its state there';
    throw new CliError(
      `purge: ${shown} does not look like a state directory: ${why}; nothing was changed`,
    );
  }
  return entries;
};

/** Process of the daemon that answers; `undefined` when none does. */
const daemonPid = async (powers: CliPowers): Promise<number | undefined> => {
  try {
    return await withPatientSession(powers, {}, 'ping', async ({ endo }) => {
      const answer = (await E(endo).ping()) as {
        readonly pid?: unknown;
      } | null;
      if (typeof answer?.pid === 'number') return answer.pid;
      throw new CliError(
        `purge: the daemon at ${powers.paths.socketPath} is not one of Hob's, and its state is not in ${powers.paths.statePath}; nothing was changed`,
      );
    });
  } catch (error) {
    if (isNobodyThere(error)) return undefined;
    throw error;
  }
};

const removeState = async ({ files, paths }: CliPowers): Promise<void> => {
  const { statePath, socketPath } = paths;
  for (const entry of await files.listDirectory(statePath)) {
    if (OURS.test(entry)) await files.removeAll(join(statePath, entry));
  }
  if ((await files.kindOf(socketPath)) === 'socket') {
    await files.removeAll(socketPath);
  }
  // Not with force: what somebody else has put there in between stays.
  await files.removeEmptyDirectory(statePath);
};

/** Stops the daemon and removes all that it keeps. */
export const purge: Command = harden({
  spec: {
    name: 'purge',
    summary: 'stop the daemon and remove all that it keeps',
    options: [{ flags: '--yes', help: 'do not ask' }],
  },
  run: async (powers, call) => {
    const { statePath } = powers.paths;
    const shown = visibleLine(statePath);
    if ((await stateEntries(powers)) === undefined) {
      powers.stdout.write(
        call.json
          ? jsonDocument({ purged: false, statePath })
          : `nothing to remove: ${shown} is not there\n`,
      );
      return EXIT.ok;
    }
    const pid = await daemonPid(powers);
    const stops = pid === undefined ? '' : 'stops the daemon and ';
    await confirm(
      powers,
      call,
      'purge',
      `This ${stops}removes ${shown}:\nall agents, their conversations, mail and values.`,
    );
    if (pid !== undefined) {
      await stopDaemon(powers);
      // It closes its socket first: what it keeps is its own until it is gone.
      await untilGone(powers, pid);
    }
    await removeState(powers);
    powers.stdout.write(
      call.json
        ? jsonDocument({ purged: true, stopped: pid !== undefined, statePath })
        : `${pid === undefined ? '' : 'stopped the daemon\n'}removed ${shown}\n`,
    );
    return EXIT.ok;
  },
});
