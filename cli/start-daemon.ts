import { E } from '@endo/far';
import { CliError, reasonOf } from './cli-error.ts';
import type { CliPowers } from './powers.ts';
import type { RemoteEndo } from './remote.ts';
import { isNobodyThere, withPatience } from './session.ts';
import { visible } from './visible.ts';

const TAIL_LINES = 12;

export type DaemonStart = {
  /** Whether this call started it; `false` when one answered already. */
  readonly started: boolean;
  readonly pid?: number;
};

/** Whether a daemon answers at the socket. Anything odd is an error. */
export const isDaemonUp = async (powers: CliPowers): Promise<boolean> => {
  try {
    const connection = await powers.connect();
    try {
      await withPatience(powers, 'ping', E(connection.endo).ping(), 10_000);
      return true;
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (isNobodyThere(error)) return false;
    throw new CliError(
      `something holds ${powers.paths.socketPath} but does not answer as a daemon: ${reasonOf(error)}`,
      { cause: error },
    );
  }
};
harden(isDaemonUp);

const logTail = async (powers: CliPowers): Promise<string> => {
  const text = (await powers.readLog()) ?? '';
  const lines = text.trimEnd().split('\n').slice(-TAIL_LINES);
  return visible(lines.map((line) => `  ${line}`).join('\n'));
};

/** Starts the embedded daemon unless one answers; says so when it is slow. */
export const ensureDaemon = async (powers: CliPowers): Promise<DaemonStart> => {
  if (await isDaemonUp(powers)) return { started: false };
  const cancel = powers.after(1_500, () => {
    powers.stderr.write('starting the daemon …\n');
  });
  const outcome = await powers.spawnDaemon();
  cancel();
  if (outcome.type === 'ready') return { started: true, pid: outcome.pid };
  // Two that start at once: the other one won, and that is just as good.
  if (await isDaemonUp(powers)) return { started: false };
  const tail = await logTail(powers);
  if (tail.trim() !== '') {
    powers.stderr.write(`last lines of ${powers.paths.logPath}:\n${tail}\n`);
  }
  throw new CliError(`the daemon did not start: ${reasonOf(outcome.message)}`);
};
harden(ensureDaemon);

/** How many others are connected; daemons that do not say have none. */
const othersAt = async (endo: RemoteEndo): Promise<number> => {
  const answer = await E(endo).ping();
  const { clients } = (answer ?? {}) as { readonly clients?: unknown };
  return typeof clients === 'number' ? clients - 1 : 0;
};

/**
 * Asks the daemon to end and waits until it has.
 *
 * @returns `shared`: others are connected, and it was to be spared for them
 */
export const stopDaemon = async (
  powers: CliPowers,
  { spareOthers = false }: { readonly spareOthers?: boolean } = {},
): Promise<'stopped' | 'not-running' | 'shared'> => {
  let connection;
  try {
    connection = await powers.connect();
  } catch (error) {
    if (isNobodyThere(error)) return 'not-running';
    throw error;
  }
  if (spareOthers && (await othersAt(connection.endo)) > 0) {
    await connection.close();
    return 'shared';
  }
  // The answer may be lost with the connection: its end is the answer.
  E(connection.endo)
    .terminate()
    .catch(() => undefined);
  await withPatience(
    powers,
    'stop',
    connection.closed.catch(() => undefined),
  );
  return 'stopped';
};
harden(stopDaemon);
