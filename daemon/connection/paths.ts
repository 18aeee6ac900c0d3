import { join, resolve } from 'node:path';

/** Where a daemon keeps what it has, and where it is reached. */
export type DaemonPaths = {
  readonly statePath: string;
  readonly socketPath: string;
  readonly logPath: string;
  readonly databasePath: string;
};

export type DaemonPathsOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The home directory. */
  readonly home: string;
  /** Stands in for `XDG_RUNTIME_DIR` where that is not set. */
  readonly platform?: NodeJS.Platform;
};

const LIMITS: Partial<Record<NodeJS.Platform, number>> = { linux: 107 };
const SMALLEST_LIMIT = 103;

/** Throws when the kernel would not take the path as that of a socket. */
export const assertSocketPath = (
  socketPath: string,
  platform: NodeJS.Platform = process.platform,
): void => {
  const limit = LIMITS[platform] ?? SMALLEST_LIMIT;
  const bytes = Buffer.byteLength(socketPath, 'utf8');
  if (bytes <= limit) return;
  throw Error(
    `The path of the daemon's socket, ${JSON.stringify(socketPath)}, has ${bytes} bytes, and the system takes at most ${limit}. Set HOB_SOCK to a shorter path.`,
  );
};
harden(assertSocketPath);

const given = (value: string | undefined): string | undefined =>
  value === '' ? undefined : value;

/** The daemon works in another folder than whoever starts it. */
const whole = (value: string | undefined): string | undefined =>
  given(value) === undefined ? undefined : resolve(value ?? '');

/**
 * Where a daemon with this environment lives. With `HOB_STATE_PATH` and no
 * `HOB_SOCK` the socket lies in the state directory, so that several daemons
 * can be side by side. Throws when the socket's path is too long.
 */
export const daemonPaths = ({
  env,
  home,
  platform = process.platform,
}: DaemonPathsOptions): DaemonPaths => {
  const ownState = whole(env['HOB_STATE_PATH']);
  const statePath =
    ownState ??
    join(given(env['XDG_STATE_HOME']) ?? join(home, '.local', 'state'), 'hob');
  const runtime = given(env['XDG_RUNTIME_DIR']);
  const socketDirectory =
    ownState === undefined && runtime !== undefined
      ? join(runtime, 'hob')
      : statePath;
  const socketPath =
    whole(env['HOB_SOCK']) ?? join(socketDirectory, 'hob.sock');
  assertSocketPath(socketPath, platform);
  return harden({
    statePath,
    socketPath,
    logPath: join(statePath, 'daemon.log'),
    databasePath: join(statePath, 'hob.sqlite'),
  });
};
harden(daemonPaths);
