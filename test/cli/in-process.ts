import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readFile } from 'node:fs/promises';
import { makeFiles } from '../../cli/files.ts';
import type { CliPowers, InterruptHandler } from '../../cli/powers.ts';
import { runCli } from '../../cli/program.ts';
import type { RemoteEndo } from '../../cli/remote.ts';
import { spawnDaemon } from '../../cli/spawn-daemon.ts';
import { connectToDaemon } from '../../daemon/connection/client.ts';
import { daemonPaths } from '../../daemon/connection/paths.ts';
import { readProgramVersion } from '../../daemon/connection/program.ts';

const daemonEntry = fileURLToPath(
  new URL('../../daemon/main.ts', import.meta.url),
);

export type Ran = {
  readonly code: number;
  readonly out: string;
  readonly err: string;
};

export type RunOptions = {
  /** Standard input: lines, or `undefined` for the end of them. */
  readonly lines?: readonly string[];
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Sees all that is written, as it is written. */
  readonly onText?: (text: string, world: RunningCli) => void;
};

export type RunningCli = {
  readonly ctrlC: () => void;
  readonly type: (line: string) => void;
};

const makeLines = (given: readonly string[] | undefined, isTTY: boolean) => {
  const waiting = [...(given ?? [])];
  let wake: (() => void) | undefined;
  let ended = !isTTY;
  return {
    type: (line: string) => {
      waiting.push(line);
      wake?.();
    },
    take: async (): Promise<string | undefined> => {
      while (waiting.length === 0 && !ended) {
        await new Promise<void>((done) => {
          wake = done;
        });
      }
      return waiting.shift();
    },
    end: () => {
      ended = true;
      wake?.();
    },
  };
};

/** The command line in this process, with everything around it in view. */
export const makeCli = (
  statePath: string,
): ((argv: readonly string[], options?: RunOptions) => Promise<Ran>) => {
  const paths = daemonPaths({
    env: { HOB_STATE_PATH: statePath },
    home: statePath,
  });
  return async (argv, { lines, isTTY = false, env = {}, onText } = {}) => {
    let out = '';
    let err = '';
    const handlers = new Set<InterruptHandler>();
    const source = makeLines(lines, isTTY);
    const world: RunningCli = {
      ctrlC: () => {
        for (const handler of [...handlers]) handler('ctrl-c');
      },
      type: source.type,
    };
    const note = (text: string): void => onText?.(text, world);
    const stdout = {
      write: (text: string) => {
        out += text;
        note(text);
      },
      isTTY,
      columns: 80,
    };
    const stderr = {
      write: (text: string) => {
        err += text;
        note(text);
      },
      isTTY,
      columns: 80,
    };
    const variables: Record<string, string | undefined> = {
      NO_COLOR: '1',
      HOB_STATE_PATH: statePath,
      ...env,
    };
    const powers: CliPowers = {
      stdout,
      stderr,
      env: variables,
      paths,
      program: { version: readProgramVersion(), source: daemonEntry },
      connect: async () => {
        const { socketPath } = paths;
        const client = await connectToDaemon({ socketPath, name: 'test' });
        return { ...client, endo: client.endo as RemoteEndo };
      },
      spawnDaemon: () =>
        spawnDaemon({
          statePath: paths.statePath,
          socketPath: paths.socketPath,
          logPath: paths.logPath,
          env: { ...process.env, HOB_STATE_PATH: statePath },
          entry: daemonEntry,
        }),
      readLog: () => readFile(paths.logPath, 'utf8').catch(() => undefined),
      openLines: () => ({
        isTTY,
        next: source.take,
        print: (output, text) => output.write(text),
        status: (text) => {
          if (text !== undefined) note(text);
        },
        close: source.end,
      }),
      files: makeFiles(),
      isRunning: (pid) => {
        try {
          process.kill(pid, 0);
          return true;
        } catch (error) {
          return (error as { code?: unknown }).code !== 'ESRCH';
        }
      },
      setVariable: (name, value) => {
        process.env[name] = value;
      },
      importScript: async (script) =>
        (await import(pathToFileURL(resolve(script)).href)) as Record<
          string,
          unknown
        >,
      withScriptsOnStderr: (body) => body(),
      setupScript: 'unused',
      onInterrupt: (handler) => {
        handlers.add(handler);
        return () => handlers.delete(handler);
      },
      after: (ms, fire) => {
        const timer = setTimeout(fire, ms);
        return () => clearTimeout(timer);
      },
    };
    const code = await runCli(powers, argv);
    return { code, out, err };
  };
};
