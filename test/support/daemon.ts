import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { E } from '@endo/far';
import { daemonLaunch } from '../../daemon/connection/launch.ts';
import { connectToDaemon } from '../../daemon/connection/client.ts';

type Method = (...args: unknown[]) => Promise<unknown>;

type DirectoryMethods =
  | 'has'
  | 'identify'
  | 'reverseIdentify'
  | 'locate'
  | 'reverseLocate'
  | 'list'
  | 'listIdentifiers'
  | 'lookup'
  | 'lookupById'
  | 'reverseLookup'
  | 'write'
  | 'remove'
  | 'move'
  | 'copy'
  | 'makeDirectory'
  | 'followNameChanges'
  | 'followLocatorNameChanges'
  | 'help';
type MailMethods =
  | 'handle'
  | 'listMessages'
  | 'followMessages'
  | 'send'
  | 'reply'
  | 'request'
  | 'resolve'
  | 'reject'
  | 'adopt'
  | 'dismiss'
  | 'dismissAll'
  | 'deliver'
  | 'storeValue'
  | 'evaluate';
type HostMethods =
  | 'grantEvaluate'
  | 'counterEvaluate'
  | 'provideGuest'
  | 'provideHost'
  | 'provideWorker'
  | 'makeUnconfined'
  | 'remakeUnconfined'
  | '__getMethodNames__'
  | 'makeBundle'
  | 'cancel'
  | 'invite'
  | 'accept'
  | 'getPeerInfo'
  | 'addPeerInfo'
  | 'storeBlob'
  | 'define'
  | 'form';

/** Far references, as loosely typed as they come out of a connection. */
export type FarDirectory = { readonly [name in DirectoryMethods]: Method };
export type FarGuest = FarDirectory & {
  readonly [name in MailMethods]: Method;
};
export type FarHost = FarGuest & { readonly [name in HostMethods]: Method };
export type FarEndo = {
  readonly [
    name in
      | 'ping'
      | 'terminate'
      | 'host'
      | 'leastAuthority'
      | 'nodeId'
      | 'gateway'
      | 'greeter'
      | 'help'
  ]: Method;
};
export type FarIterator = {
  readonly [name in 'next' | 'return' | 'throw']: Method;
};

export type TestClient = {
  readonly endo: FarEndo;
  readonly host: FarHost;
  readonly closed: Promise<Error>;
  readonly close: () => void;
};

export type TestDaemon = {
  readonly socketPath: string;
  readonly statePath: string;
  readonly pid: () => number;
  /** What it wrote to standard error, over all its runs. */
  readonly log: () => string;
  /** A new connection. Closed by `stop`. */
  readonly client: () => Promise<TestClient>;
  /** Resolves when the process has ended by itself. */
  readonly whenGone: () => Promise<void>;
  /** Resolves when the process is gone. */
  readonly kill9: () => Promise<void>;
  /** Starts it again on the same state; stops it first when it runs. */
  readonly restart: () => Promise<void>;
  /** Ends it and removes its directory. */
  readonly stop: () => Promise<void>;
};

export type TestDaemonOptions = {
  readonly env?: Readonly<Record<string, string>>;
  /** Of a directory that another test daemon made. */
  readonly statePath?: string;
};

const MAIN = fileURLToPath(new URL('../../daemon/main.ts', import.meta.url));

type News =
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly message: string };

type Running = { readonly child: ChildProcess; readonly gone: Promise<void> };

type Log = { text: string };

/** Rejects with the daemon's own words when it does not start. */
const launch = async (
  statePath: string,
  env: Readonly<Record<string, string>>,
  log: Log,
): Promise<Running> => {
  const { flags, env: launchEnv } = daemonLaunch(statePath);
  const child = fork(MAIN, [], {
    env: {
      ...launchEnv,
      PATH: process.env['PATH'],
      HOME: statePath,
      HOB_STATE_PATH: statePath,
      ...env,
    },
    execArgv: [...flags],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    log.text += chunk;
  });
  // A run of tests that is broken off leaves no daemon behind.
  const endToo = (): void => {
    child.kill('SIGKILL');
  };
  process.once('exit', endToo);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      process.off('exit', endToo);
      resolve();
    });
  });
  await new Promise<void>((resolve, reject) => {
    let reason: string | undefined;
    child.once('message', (news: News) => {
      if (news.type === 'ready') resolve();
      else reason = news.message;
    });
    // Only once it is gone has it written all that it writes.
    void gone.then(() =>
      reject(
        Error(reason ?? `The daemon ended before it was ready:\n${log.text}`),
      ),
    );
  });
  return { child, gone };
};

const end = async (
  { child, gone }: Running,
  signal: NodeJS.Signals,
): Promise<void> => {
  child.kill(signal);
  await gone;
};

/** A real daemon in its own process, on a fresh state directory. */
export const startTestDaemon = async (
  options: TestDaemonOptions = {},
): Promise<TestDaemon> => {
  const { env = {} } = options;
  const statePath = options.statePath ?? mkdtempSync(join(tmpdir(), 'hob-'));
  const socketPath = env['HOB_SOCK'] ?? join(statePath, 'hob.sock');
  const log: Log = { text: '' };
  let running: Running | undefined = await launch(statePath, env, log);
  const clients: { readonly close: () => void }[] = [];

  const finish = async (signal: NodeJS.Signals): Promise<void> => {
    for (const { close } of clients.splice(0)) close();
    if (running !== undefined) await end(running, signal);
    running = undefined;
  };

  return {
    socketPath,
    statePath,
    pid: () => running?.child.pid ?? -1,
    log: () => log.text,
    whenGone: async () => running?.gone,
    client: async () => {
      const { endo, close, closed } = await connectToDaemon({
        socketPath,
        name: 'test',
      });
      clients.push({ close: () => close() });
      const host = await E(endo as FarEndo).host();
      return {
        endo: endo as FarEndo,
        host: host as FarHost,
        closed,
        close: () => close(),
      };
    },
    kill9: () => finish('SIGKILL'),
    restart: async () => {
      await finish('SIGTERM');
      running = await launch(statePath, env, log);
    },
    stop: async () => {
      await finish('SIGTERM');
      if (options.statePath === undefined)
        rmSync(statePath, { recursive: true, force: true });
    },
  };
};
