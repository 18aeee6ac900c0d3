import { connect, type Socket } from 'node:net';
import { makeConnection } from './connection.ts';
import { assertSocketPath } from './paths.ts';

export type DaemonClient = {
  /** The daemon's bootstrap object, a far reference. */
  readonly endo: unknown;
  /** Resolves, never rejects, with the reason once the connection is over. */
  readonly closed: Promise<Error>;
  readonly close: (reason?: Error) => void;
};

export type ConnectOptions = {
  readonly socketPath: string;
  /** Names the client in errors: "hob send". */
  readonly name: string;
  readonly onReject?: (error: unknown) => void;
  /** How long the daemon has to present itself. */
  readonly timeoutMs?: number;
};

const DEFAULT_TIMEOUT_MS = 10_000;

const words: Partial<Record<string, string>> = {
  ENOENT: 'No daemon runs there; start it with `hob start`.',
  ECONNREFUSED:
    'A daemon ran there once and is gone; start it with `hob start`.',
  ENOTSOCK: 'That is no socket; set HOB_SOCK to the one of a daemon.',
  EACCES:
    'You have no permission to use that socket: it belongs to whoever started the daemon.',
  EPERM:
    'You have no permission to use that socket: it belongs to whoever started the daemon.',
};

const connectError = (socketPath: string, cause: Error): Error => {
  const code = (cause as { code?: string }).code ?? '';
  const reason = words[code] ?? `The system says: ${cause.message}.`;
  return Error(
    `Cannot reach the daemon at ${JSON.stringify(socketPath)}. ${reason}`,
    { cause },
  );
};

const openSocket = async (socketPath: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ path: socketPath });
    const fail = (error: Error): void => {
      reject(connectError(socketPath, error));
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });

/** Connects to a daemon, ours or any of Endo's. Rejects with what to do. */
export const connectToDaemon = async ({
  socketPath,
  name,
  onReject,
  timeoutMs = DEFAULT_TIMEOUT_MS,
}: ConnectOptions): Promise<DaemonClient> => {
  assertSocketPath(socketPath);
  const socket = await openSocket(socketPath);
  const { getBootstrap, closed, close } = makeConnection({
    name,
    socket,
    onReject,
  });
  const timer = setTimeout(() => {
    close(
      Error(
        `Something listens at ${JSON.stringify(socketPath)} but did not answer as a daemon within ${timeoutMs} ms. If it is one, stop it with \`hob stop\` and start it again.`,
      ),
    );
  }, timeoutMs);
  try {
    const endo = await getBootstrap();
    return harden({ endo, closed, close });
  } finally {
    clearTimeout(timer);
  }
};
harden(connectToDaemon);
