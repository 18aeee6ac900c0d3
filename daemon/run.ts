// The composition root of the embedded daemon: here clock, randomness, files and
// the environment enter. What else holds a power of the machine (sockets,
// processes, the timers of connections) is listed in docs/authority.md.
// `main.ts` loads it.
import { setConsole } from './connection/lockdown.ts';
import { createHash, randomBytes } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { daemonPaths, type DaemonPaths } from './connection/paths.ts';
import { readProgramVersion } from './connection/program.ts';
import { makeDaemon, type Daemon } from './lifecycle/daemon.ts';
import { listen, type Listener } from './lifecycle/listener.ts';
import { openDatabase, type Database } from './store/database.ts';
import { startWorker } from './worker/worker-process.ts';

const GRACE_MS = 1500;
const EVAL_TIMEOUT_MS = 60_000;
const FAILED = 1;
/** `EX_SOFTWARE` of sysexits. */
const BROKEN = 70;

const log = (line: string): void => {
  process.stderr.write(`${new Date().toISOString()} ${line}\n`);
};

const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Tells the process that started this one, if it listens, and lets it go. */
const tellStarter = (news: Record<string, unknown>): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined || !process.connected) {
      resolve();
      return;
    }
    process.send(news, () => {
      if (process.connected) process.disconnect();
      resolve();
    });
  });

const readEvalTimeout = (): number => {
  const text = process.env['HOB_EVAL_TIMEOUT_MS'];
  if (text === undefined || text === '') return EVAL_TIMEOUT_MS;
  const value = Number(text);
  // A timer takes no more, and goes off at once.
  if (Number.isInteger(value) && value > 0 && value < 2 ** 31) return value;
  throw Error(
    `HOB_EVAL_TIMEOUT_MS is a positive whole number of milliseconds, and not ${JSON.stringify(text)}`,
  );
};

/** What a client is told of where the program lies. */
const source = fileURLToPath(
  import.meta.url.replace(/run(\.[jt]s)(\?.*)?$/u, 'main$1'),
);

const makePowers = (
  database: Database,
  cachePath: string,
  terminate: () => void,
  clients: () => number,
) =>
  harden({
    database,
    terminate,
    clients,
    log,
    version: readProgramVersion(),
    source,
    pid: process.pid,
    evalTimeoutMs: readEvalTimeout(),
    graceMs: GRACE_MS,
    randomHex: (bytes: number) => randomBytes(bytes).toString('hex'),
    makeSha512: () => {
      const hash = createHash('sha512');
      return harden({
        add: (bytes: Uint8Array) => {
          hash.update(bytes);
        },
        hex: () => hash.digest('hex'),
      });
    },
    now: () => new Date().toISOString(),
    monotonic: () => performance.now(),
    setTimer: (effect: () => void, milliseconds: number) => {
      const timer = setTimeout(effect, milliseconds);
      return () => clearTimeout(timer);
    },
    startWorker: (label: string, kind: 'confined' | 'unconfined') =>
      startWorker({ label, kind, logFd: 2, compileCacheDir: cachePath }),
  });

type Running = {
  readonly database: Database;
  readonly daemon: Daemon;
  readonly listener: Listener;
};

let running: Running | undefined;
let stopping: Promise<void> | undefined;

const stop = async (reason: string): Promise<void> => {
  log(`stopping: ${reason}`);
  running?.listener.close(`the daemon stops: ${reason}`);
  await running?.daemon.stop(reason);
  running?.database.close();
  log('stopped');
};

const stopAndExit = (reason: string): void => {
  stopping ??= stop(reason);
  stopping.then(
    () => process.exit(0),
    (error: unknown) => {
      log(`could not stop in order: ${describe(error)}`);
      process.exit(BROKEN);
    },
  );
};

const start = async (paths: DaemonPaths): Promise<Running> => {
  const cachePath = join(paths.statePath, 'cache');
  const database = openDatabase(paths.databasePath, log);
  const terminate = (): void => {
    // The answer to the one who asked leaves first.
    setImmediate(() => stopAndExit('asked to by a client'));
  };
  const daemon = makeDaemon(
    makePowers(
      database,
      cachePath,
      terminate,
      () => running?.listener.count() ?? 0,
    ),
  );
  daemon.start();
  const { socketPath } = paths;
  const listener = await listen({ socketPath, bootstrap: daemon.endo, log });
  return { database, daemon, listener };
};

const main = async (): Promise<void> => {
  // Whoever reads the log may go away; that is no reason to stop.
  process.stderr.on('error', () => undefined);
  setConsole((level, text) => log(`${level}: ${text}`));
  process.on('unhandledRejection', (reason) =>
    log(`unhandled rejection: ${describe(reason)}`),
  );
  process.on('uncaughtException', (error) => {
    log(`uncaught exception: ${describe(error)}`);
    process.exit(BROKEN);
  });
  process.on('SIGTERM', () => stopAndExit('SIGTERM'));
  process.on('SIGINT', () => stopAndExit('SIGINT'));
  try {
    const paths = daemonPaths({
      env: process.env,
      home: homedir(),
    });
    running = await start(paths);
    log(`ready at ${paths.socketPath}, pid ${process.pid}`);
    await tellStarter({
      type: 'ready',
      pid: process.pid,
      socketPath: paths.socketPath,
    });
    flushCompileCache();
  } catch (error) {
    log(`could not start: ${messageOf(error)}`);
    await tellStarter({ type: 'failed', message: messageOf(error) });
    process.exit(FAILED);
  }
};

await main();
