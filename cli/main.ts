#!/usr/bin/env node
/** The `hob` command: the composition root, which holds the ambient authority. */
import { setConsole } from '../daemon/connection/lockdown.ts';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { connectToDaemon } from '../daemon/connection/client.ts';
import { daemonPaths } from '../daemon/connection/paths.ts';
import { readProgramVersion } from '../daemon/connection/program.ts';
import { makeFiles } from './files.ts';
import { openLines } from './line-source.ts';
import type { CliPowers, InterruptHandler, Output } from './powers.ts';
import { runCli } from './program.ts';
import type { RemoteEndo } from './remote.ts';
import { spawnDaemon } from './spawn-daemon.ts';

// Built, the other parts are .js files beside this one's .js.
const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
const besides = (path: string): string =>
  new URL(`../${path}.${extension}`, import.meta.url).href;

const makeOutput = (stream: NodeJS.WriteStream): Output =>
  harden({
    write: (text: string) => {
      stream.write(text);
    },
    isTTY: stream.isTTY,
    columns: stream.columns > 0 ? stream.columns : 80,
  });

const daemonEntry = fileURLToPath(besides('daemon/main'));

/** Resolves when what was written has gone out. */
const flushed = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((done) => {
    stream.write('', () => done());
  });

const isMissing = (error: unknown): boolean =>
  (error as { code?: unknown }).code === 'ENOENT';

const readLog = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // One of another user can be seen, and not signalled.
    return (error as { code?: unknown }).code === 'EPERM';
  }
};

const makePowers = (): CliPowers => {
  const stdout = makeOutput(process.stdout);
  const stderr = makeOutput(process.stderr);
  const paths = daemonPaths({ env: process.env, home: homedir() });
  const interruptHandlers = new Set<InterruptHandler>();
  const interrupt: InterruptHandler = (how) => {
    // With nobody to stop anything, a Ctrl-C does what it does everywhere.
    if (interruptHandlers.size === 0) process.exit(130);
    for (const handler of [...interruptHandlers]) handler(how);
  };
  process.on('SIGINT', () => interrupt('ctrl-c'));
  for (const signal of ['SIGTERM', 'SIGHUP']) {
    process.on(signal, () => interrupt('terminate'));
  }
  // A reader that has gone (as with `| head`) is no error of ours; but what we
  // have started is stopped.
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', () => {
    if (interruptHandlers.size === 0) process.exit(0);
    interrupt('terminate');
  });
  let scriptOutput = stdout;
  setConsole((level, text) => {
    (level === 'error' || level === 'warn' ? stderr : scriptOutput).write(
      `${text}\n`,
    );
  });
  return {
    stdout,
    stderr,
    env: process.env,
    paths,
    program: { version: readProgramVersion(), source: daemonEntry },
    connect: async () => {
      const { endo, closed, close } = await connectToDaemon({
        socketPath: paths.socketPath,
        name: 'hob',
      });
      return { endo: endo as RemoteEndo, closed, close: () => close() };
    },
    spawnDaemon: () =>
      spawnDaemon({
        statePath: paths.statePath,
        socketPath: paths.socketPath,
        logPath: paths.logPath,
        env: process.env,
        entry: daemonEntry,
      }),
    readLog: () => readLog(paths.logPath),
    openLines: (prompt) =>
      openLines({
        prompt,
        stdin: process.stdin,
        stdout: process.stdout,
        interrupt: () => interrupt('ctrl-c'),
      }),
    files: makeFiles(),
    isRunning,
    setVariable: (name, value) => {
      process.env[name] = value;
    },
    importScript: async (script) => {
      const url = script.startsWith('file:')
        ? script
        : pathToFileURL(resolve(script)).href;
      return (await import(url)) as Readonly<Record<string, unknown>>;
    },
    withScriptsOnStderr: async (body) => {
      const own = process.stdout.write.bind(process.stdout);
      scriptOutput = stderr;
      process.stdout.write = process.stderr.write.bind(process.stderr);
      try {
        return await body();
      } finally {
        process.stdout.write = own;
        scriptOutput = stdout;
      }
    },
    setupScript: besides('setup/hob'),
    onInterrupt: (handler) => {
      interruptHandlers.add(handler);
      return () => interruptHandlers.delete(handler);
    },
    after: (ms, fire) => {
      const timer = setTimeout(fire, ms);
      return () => clearTimeout(timer);
    },
  };
};

const start = async (): Promise<number> => {
  let powers;
  try {
    powers = makePowers();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    process.stderr.write(`hob: ${text}\n`);
    return 1;
  }
  return runCli(powers, process.argv.slice(2));
};

const exitCode = await start();
await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
process.exit(exitCode);
