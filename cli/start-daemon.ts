import { E } from '@endo/far';
import { CliError, reasonOf } from './cli-error.ts';
import type { CliPowers } from './powers.ts';
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

/** Asks the daemon to end and waits until it has. */
export const stopDaemon = async (powers: CliPowers): Promise<boolean> => {
  let connection;
  try {
    connection = await powers.connect();
  } catch (error) {
    if (isNobodyThere(error)) return false;
    throw error;
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
  return true;
};
harden(stopDaemon);
