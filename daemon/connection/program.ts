import { readFileSync } from 'node:fs';

/**
 * The version of this program, `unknown` when its package file is not there.
 * Daemon and command line compare theirs.
 */
export const readProgramVersion = (): string => {
  // From the source, or from `dist/`.
  for (const path of ['../../package.json', '../../../package.json']) {
    try {
      const text = readFileSync(new URL(path, import.meta.url), 'utf8');
      return (JSON.parse(text) as { version: string }).version;
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error;
    }
  }
  return 'unknown';
};
harden(readProgramVersion);
