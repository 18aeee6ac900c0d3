import { readdirSync, readFileSync } from 'node:fs';

const readProcess = (pid: string, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It ended meanwhile, and says no more.
    return '';
  }
};

/** The processes of the worker with this name, of those that live. */
export const workerPids = (
  daemon: number,
  kind: 'confined' | 'unconfined',
  label: string,
): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => {
      const parent = /\) (\w) (\d+)/u.exec(readProcess(name, 'stat'));
      if (parent?.[1] === 'Z' || parent?.[2] !== String(daemon)) return false;
      const args = readProcess(name, 'cmdline').split('\0');
      return args.at(-3) === kind && args.at(-2) === label;
    })
    .map(Number);

/** Waits for what another process does; a test's own time limit ends it. */
export const until = async (
  condition: () => boolean | Promise<boolean>,
): Promise<void> => {
  while (!(await condition())) {
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
};
