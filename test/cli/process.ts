import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export type Finished = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

export type Running = {
  readonly type: (line: string) => void;
  readonly endInput: (last?: string) => void;
  /** As `| head` does when it has seen enough. */
  readonly closeOutput: () => void;
  readonly signal: (name: NodeJS.Signals) => void;
  /** Resolves when standard output and error together match. */
  readonly seen: (pattern: RegExp) => Promise<void>;
  readonly finished: Promise<Finished>;
};

/** Nothing of the developer's own settings reaches the tests. */
const cleanEnvironment = (): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(?:LAL|HOB|XDG|ENDO|NODE_OPTIONS|VITEST)/u.test(name),
    ),
  );

/** Starts the real command as a process. */
export const startHob = (
  statePath: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running => {
  const child = spawn(process.execPath, [MAIN, ...argv], {
    env: { ...cleanEnvironment(), HOB_STATE_PATH: statePath, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  const watchers = new Set<() => void>();
  const changed = (): void => {
    for (const watch of [...watchers]) watch();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    changed();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    changed();
  });
  // A command that does not read its input may end before we write.
  child.stdin.on('error', () => undefined);
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code) => resolve({ code, out, err }));
  });
  const seen = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (!pattern.test(out + err)) return;
        watchers.delete(look);
        resolve();
      };
      watchers.add(look);
      look();
      void finished.then(() => {
        look();
        reject(Error(`ended without ${String(pattern)}: ${out}${err}`));
      });
    });
  return {
    type: (line) => child.stdin.write(`${line}\n`),
    endInput: (last = '') => child.stdin.end(last),
    closeOutput: () => child.stdout.destroy(),
    signal: (name) => child.kill(name),
    seen,
    finished,
  };
};

/** Whether a daemon runs on this state. */
export const isRunning = async (statePath: string): Promise<boolean> => {
  const { out } = await runHob(statePath, ['status', '--json']);
  return (JSON.parse(out) as { running: boolean }).running;
};

/** Runs the real command to its end. */
export const runHob = (
  statePath: string,
  argv: readonly string[],
  {
    input = '',
    env = {},
  }: {
    readonly input?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<Finished> => {
  const running = startHob(statePath, argv, env);
  running.endInput(input);
  return running.finished;
};
