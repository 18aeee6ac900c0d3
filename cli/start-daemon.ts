import { E } from '@endo/far';
import { CliError, reasonOf } from './cli-error.ts';
import {
  compareDaemon,
  parseOrigin,
  type OtherDaemon,
} from './daemon-origin.ts';
import type { CliPowers } from './powers.ts';
import { isNobodyThere, withPatience } from './session.ts';
import { visible } from './visible.ts';

const TAIL_LINES = 12;
const POLL_MS = 50;
/** A daemon gives its caplets and workers a few seconds to end. */
const POLLS = 400;

export type DaemonStart = {
  /** Whether this call started it; `false` when one answered already. */
  readonly started: boolean;
  readonly pid?: number;
  /** The one that answered, where it is another program than this one. */
  readonly other?: OtherDaemon;
};

/** What a daemon says of itself; `undefined` when none answers. */
type DaemonAnswer = { readonly ping: unknown } | undefined;

/** Asks whoever is at the socket. Anything odd is an error. */
const askDaemon = async (powers: CliPowers): Promise<DaemonAnswer> => {
  try {
    const connection = await powers.connect();
    try {
      const answer = E(connection.endo).ping();
      return { ping: await withPatience(powers, 'ping', answer, 10_000) };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (isNobodyThere(error)) return undefined;
    throw new CliError(
      `something holds ${powers.paths.socketPath} but does not answer as a daemon: ${reasonOf(error)}`,
      { cause: error },
    );
  }
};
const logTail = async (powers: CliPowers): Promise<string> => {
  const text = (await powers.readLog()) ?? '';
  const lines = text.trimEnd().split('\n').slice(-TAIL_LINES);
  return visible(lines.map((line) => `  ${line}`).join('\n'));
};

/** Starts the embedded daemon unless one answers; says so when it is slow. */
export const ensureDaemon = async (powers: CliPowers): Promise<DaemonStart> => {
  const answer = await askDaemon(powers);
  if (answer !== undefined) {
    const other = await compareDaemon(powers, parseOrigin(answer.ping));
    return { started: false, ...(other === undefined ? {} : { other }) };
  }
  const cancel = powers.after(1_500, () => {
    powers.stderr.write('starting the daemon …\n');
  });
  const outcome = await powers.spawnDaemon();
  cancel();
  if (outcome.type === 'ready') return { started: true, pid: outcome.pid };
  // Two that start at once: the other one won, and that is just as good.
  if ((await askDaemon(powers)) !== undefined) return { started: false };
  const tail = await logTail(powers);
  if (tail.trim() !== '') {
    powers.stderr.write(`last lines of ${powers.paths.logPath}:\n${tail}\n`);
  }
  throw new CliError(`the daemon did not start: ${reasonOf(outcome.message)}`);
};
harden(ensureDaemon);

/** Resolves when the process has ended: until then its state is its own. */
export const untilGone = async (
  powers: CliPowers,
  pid: number,
): Promise<void> => {
  for (let poll = 0; poll < POLLS; poll += 1) {
    if (!powers.isRunning(pid)) return;
    await new Promise<void>((resolve) => {
      powers.after(POLL_MS, resolve);
    });
  }
  throw new CliError(
    `the daemon, process ${pid}, does not end; "kill -9 ${pid}" ends it, and nothing that it has acknowledged is lost`,
  );
};
harden(untilGone);

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
  const answer = E(connection.endo).ping();
  const origin = parseOrigin(await withPatience(powers, 'ping', answer));
  if (spareOthers && origin !== undefined && origin.others > 0) {
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
  if (origin !== undefined) await untilGone(powers, origin.pid);
  return 'stopped';
};
harden(stopDaemon);

/**
 * Stops what answers, if anything does, and starts this program's daemon.
 *
 * @returns besides, the one that was stopped, where it is another program
 */
export const replaceDaemon = async (
  powers: CliPowers,
): Promise<DaemonStart> => {
  const answer = await askDaemon(powers);
  const origin = parseOrigin(answer?.ping);
  if (answer !== undefined && origin === undefined) {
    throw new CliError(
      `the daemon at ${powers.paths.socketPath} is not one of Hob's and is left alone; stop it by its own command, or name another socket in HOB_SOCK`,
    );
  }
  const other = await compareDaemon(powers, origin);
  await stopDaemon(powers);
  const start = await ensureDaemon(powers);
  return { ...start, ...(other === undefined ? {} : { other }) };
};
harden(replaceDaemon);
