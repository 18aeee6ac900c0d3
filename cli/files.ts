import { lstat, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What the commands do with files: they look, and `purge` removes. */
export type Files = {
  /**
   * URL of a file, named by a path relative to the current folder or by its
   * `file:` URL; `undefined` when no such file is there.
   */
  readonly findFile: (path: string) => Promise<string | undefined>;
  /** What is there, links not followed; `undefined` when nothing is. */
  readonly kindOf: (
    path: string,
  ) => Promise<'directory' | 'socket' | 'other' | undefined>;
  readonly listDirectory: (path: string) => Promise<readonly string[]>;
  /** With all that is in it; links are removed, not followed. */
  readonly removeAll: (path: string) => Promise<void>;
  /** Rejects when something is in it. */
  readonly removeEmptyDirectory: (path: string) => Promise<void>;
};

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code));

/** `undefined` in the place of an error that says that nothing is there. */
const unlessMissing = async <T>(answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** The files of this machine, as this process may see them. */
export const makeFiles = (): Files =>
  harden({
    findFile: async (path: string) => {
      const whole = path.startsWith('file:')
        ? fileURLToPath(path)
        : resolve(path);
      const found = await unlessMissing(stat(whole));
      return found?.isFile() === true ? pathToFileURL(whole).href : undefined;
    },
    kindOf: async (path: string) => {
      const found = await unlessMissing(lstat(path));
      if (found === undefined) return undefined;
      if (found.isDirectory()) return 'directory' as const;
      return found.isSocket() ? ('socket' as const) : ('other' as const);
    },
    listDirectory: (path: string) => readdir(path),
    removeAll: (path: string) => rm(path, { recursive: true, force: true }),
    removeEmptyDirectory: (path: string) => rmdir(path),
  });
harden(makeFiles);
