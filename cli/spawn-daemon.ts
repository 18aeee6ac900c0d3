import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { daemonLaunch } from '../daemon/connection/launch.ts';
import type { SpawnOutcome } from './powers.ts';

/** How long a daemon may take to come up. */
const READY_MS = 30_000;

type SpawnOptions = {
  readonly statePath: string;
  readonly socketPath: string;
  readonly logPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of the daemon's entry. */
  readonly entry: string;
};

/**
 * What the daemon and Node read. The rest of a shell's environment, with all
 * that is secret in it, is no business of a process that goes on for weeks.
 */
const READ: readonly string[] = harden([
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'TZ',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'HOB_EVAL_TIMEOUT_MS',
]);

const daemonEnvironment = (
  env: SpawnOptions['env'],
): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => READ.includes(name)),
  );

const outcomeOf = (message: unknown, pid: number): SpawnOutcome | undefined => {
  if (typeof message !== 'object' || message === null) return undefined;
  const { type, message: reason } = message as Record<string, unknown>;
  if (type === 'ready') return { type: 'ready', pid };
  if (type === 'failed') return { type: 'failed', message: String(reason) };
  return undefined;
};

const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/**
 * Starts the daemon as a process of its own, which outlives this one.
 *
 * Contract: never rejects; ends with the first word of the daemon, its death,
 * or the deadline, at which it is killed.
 */
export const spawnDaemon = async ({
  statePath,
  socketPath,
  logPath,
  env,
  entry,
}: SpawnOptions): Promise<SpawnOutcome> => {
  let log;
  try {
    await mkdir(dirname(logPath), { recursive: true, mode: 0o700 });
    log = await open(logPath, 'a', 0o600);
  } catch (error) {
    return {
      type: 'failed',
      message: `cannot write the log ${logPath}: ${errorText(error)}`,
    };
  }
  const launch = daemonLaunch(statePath);
  const child = spawn(process.execPath, [...launch.flags, entry], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd, 'ipc'],
    env: {
      ...daemonEnvironment(env),
      // It works in another folder: a relative path would lead elsewhere.
      HOB_STATE_PATH: statePath,
      HOB_SOCK: socketPath,
      ...launch.env,
    },
    cwd: dirname(logPath),
  });
  try {
    return await new Promise<SpawnOutcome>((resolve) => {
      const fail = (message: string): void => {
        resolve({ type: 'failed', message });
      };
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        fail(`it was not ready within ${READY_MS / 1000} s`);
      }, READY_MS);
      child.on('message', (message) => {
        const outcome = outcomeOf(message, child.pid ?? 0);
        if (outcome !== undefined) resolve(outcome);
      });
      child.on('error', (error) => fail(errorText(error)));
      child.on('exit', (code, signal) =>
        fail(`it ended at once (${signal ?? `exit code ${String(code)}`})`),
      );
      child.on('close', () => clearTimeout(timer));
      child.on('disconnect', () => clearTimeout(timer));
    });
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
    await log.close();
  }
};
harden(spawnDaemon);
