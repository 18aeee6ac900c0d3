import type { Duplex } from 'node:stream';
import { makePromiseKit } from '@endo/promise-kit';
import { makeFrameReader, writeFrame } from './netstring.ts';
import type { SessionLimits } from './session-limits.ts';
import { makeSession, type SessionCounts } from './session.ts';

const DEFAULT_MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** How long the last words to a peer may take to be flushed. */
const LINGER_MS = 1000;

export type Connection = {
  /** The peer's bootstrap object. Rejects when the connection is over. */
  readonly getBootstrap: () => Promise<unknown>;
  /** Resolves, never rejects, with the reason once the connection is over. */
  readonly closed: Promise<Error>;
  /** Ends the connection; the peer is told why. Idempotent. */
  readonly close: (reason?: Error) => void;
  /** What is kept for the peer, for tests and for the status of a daemon. */
  readonly counts: () => SessionCounts;
};

export type ConnectionOptions = {
  /** Names this connection in errors: "daemon", "worker main". */
  readonly name: string;
  readonly socket: Duplex;
  /** The object, hardened, that the peer's `getBootstrap` yields. */
  readonly bootstrap?: unknown;
  /** Sees every rejection that passes. The default is to see nothing. */
  readonly onReject?: ((error: unknown) => void) | undefined;
  readonly maxFrameBytes?: number;
  /** Bytes that may wait for a peer that does not read. */
  readonly maxBufferedBytes?: number;
  readonly limits?: Partial<SessionLimits>;
  /** When the peer has gone: why, if somebody knows better than the socket. */
  readonly explainEnd?: () => Promise<Error>;
};

/** Speaks CapTP in netstrings over a socket, from the first byte on. */
export const makeConnection = ({
  name,
  socket,
  bootstrap,
  onReject,
  maxFrameBytes = DEFAULT_MAX_FRAME_BYTES,
  maxBufferedBytes = 4 * maxFrameBytes,
  limits,
  explainEnd,
}: ConnectionOptions): Connection => {
  const { promise: closed, resolve: resolveClosed } = makePromiseKit<Error>();
  let isOver = false;
  let isGone = false;
  const title = `The connection ${JSON.stringify(name)}`;

  const finish = (reason: Error): boolean => {
    if (isOver) return false;
    isOver = true;
    reader.stop();
    session.abort(reason);
    resolveClosed(reason);
    return true;
  };

  /** Lets what was written reach the peer, but not for long. */
  const hangUp = (): void => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    timer.unref();
    socket.end(() => {
      clearTimeout(timer);
      socket.destroy();
    });
  };

  const close = (
    reason: Error = Error(`${title} was closed on this side`),
  ): void => {
    if (!finish(reason)) return;
    if (isGone || socket.destroyed) return;
    const why = reason.message;
    writeFrame(socket, JSON.stringify({ type: 'CTP_DISCONNECT', why }));
    hangUp();
  };

  const send = (text: string): void => {
    if (isGone || socket.destroyed) return;
    writeFrame(socket, text);
    if (socket.writableLength > maxBufferedBytes) {
      const waiting = `${socket.writableLength} bytes wait for the other side, which does not read`;
      // Last words would wait as well.
      if (finish(Error(`${title} was ended: ${waiting}`))) socket.destroy();
    }
  };

  const session = makeSession({
    name,
    bootstrap,
    maxFrameBytes,
    send,
    onDisconnect: (why) => {
      const words = why === '' ? '' : `: ${why}`;
      if (finish(Error(`${title} was ended by the other side${words}`)))
        hangUp();
    },
    onReject,
    limits,
  });

  const reader = makeFrameReader({ maxFrameBytes, onFrame: session.receive });

  const peerGone = (words: string): void => {
    if (isGone) return;
    isGone = true;
    const reason = Error(`${title} is over: ${words}`);
    if (explainEnd === undefined || isOver) {
      finish(reason);
      return;
    }
    explainEnd().then(finish, () => finish(reason));
  };

  socket.on('data', (chunk: Uint8Array) => {
    if (isOver) return;
    try {
      reader.push(chunk);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      close(
        Error(`${title} was ended, the other side broke the protocol: ${why}`, {
          cause: error,
        }),
      );
    }
  });
  socket.on('error', (error: Error & { code?: string }) => {
    peerGone(`the socket failed (${error.code ?? error.message})`);
  });
  socket.on('end', () => {
    peerGone(
      reader.isWithinFrame()
        ? 'the other side went away in the middle of a message'
        : 'the other side went away',
    );
    socket.end();
  });
  socket.on('close', () => peerGone('the other side went away'));

  return harden({
    getBootstrap: () => session.getBootstrap(),
    closed,
    close,
    counts: session.counts,
  });
};
harden(makeConnection);
