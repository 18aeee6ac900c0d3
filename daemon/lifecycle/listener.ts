import { chmodSync, lstatSync, mkdirSync, unlinkSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { makeConnection } from '../connection/connection.ts';

export type Listener = {
  /** Connections that are open. */
  readonly count: () => number;
  /** Ends the connections and removes the socket. */
  readonly close: (reason: string) => void;
};

export type ListenerPowers = {
  readonly socketPath: string;
  readonly bootstrap: object;
  readonly log: (line: string) => void;
};

const answers = (socketPath: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    const say = (answer: boolean): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => say(true));
    // A full queue, or a right that is missing, is no proof that nobody is there.
    socket.once('error', (error) => say(!isNobodyThere(error)));
  });

const isThere = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false }) !== undefined;

const isNobodyThere = (error: Error & { code?: string }): boolean =>
  error.code === 'ECONNREFUSED' || error.code === 'ENOENT';

/** Only a socket at which nobody answers is removed: a killed daemon left it. */
const clearStaleSocket = async (socketPath: string): Promise<void> => {
  const found = lstatSync(socketPath, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) {
    throw Error(
      `Cannot listen at ${socketPath}: there is something that is not a socket. Remove it, or set HOB_SOCK to another path`,
    );
  }
  if (await answers(socketPath)) {
    throw Error(
      `Cannot listen at ${socketPath}: another daemon, of another state directory, answers there. Set HOB_SOCK to another path`,
    );
  }
  unlinkSync(socketPath);
};

const listenAt = (server: Server, socketPath: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(
        Error(`Cannot listen at ${socketPath}: ${error.message}`, {
          cause: error,
        }),
      );
    };
    server.once('error', fail);
    // Nobody else may connect, not even between creation and chmod.
    const before = process.umask(0o177);
    server.listen(socketPath, () => {
      server.off('error', fail);
      chmodSync(socketPath, 0o600);
      resolve();
    });
    process.umask(before);
  });

const preparePrivateDirectory = (directory: string): void => {
  if (isThere(directory)) return;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
};

/** Listens on the Unix socket; each connection begins with `bootstrap`. */
export const listen = async ({
  socketPath,
  bootstrap,
  log,
}: ListenerPowers): Promise<Listener> => {
  preparePrivateDirectory(dirname(socketPath));
  await clearStaleSocket(socketPath);
  const open = new Set<{ readonly close: (reason?: Error) => void }>();
  let count = 0;
  const server = createServer((socket: Socket) => {
    count += 1;
    const connection = makeConnection({
      name: `client ${count}`,
      socket,
      bootstrap,
    });
    open.add(connection);
    void connection.closed.then(() => open.delete(connection));
  });
  await listenAt(server, socketPath);
  server.on('error', (error) => log(`the listener failed: ${error.message}`));

  return harden({
    count: () => open.size,
    close: (reason) => {
      // Closing the server removes the socket.
      server.close();
      for (const connection of open) connection.close(Error(reason));
    },
  });
};
harden(listen);
