import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { makeCli } from './in-process.ts';

export const fixture = (name: string): string =>
  join(import.meta.dirname, 'fixtures', name);

/** The command line in this process, on a real daemon of its own. */
export const startCli = async () => {
  const statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  const hob = makeCli(statePath);
  const { code, err } = await hob(['start']);
  // A slow start says so on standard error.
  expect(code, err).toBe(0);
  return {
    statePath,
    hob,
    /** What a verb says that does what it is asked. */
    said: async (...argv: string[]): Promise<string> => {
      const ran = await hob(argv);
      expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: '' });
      return ran.out;
    },
    /** The one JSON document that a verb prints. */
    json: async (...argv: string[]): Promise<unknown> => {
      const ran = await hob(['--json', ...argv]);
      expect({ code: ran.code, err: ran.err }).toEqual({ code: 0, err: '' });
      return JSON.parse(ran.out) as unknown;
    },
    /** What a verb says when it fails, in one line after its exit code. */
    failure: async (...argv: string[]): Promise<string> => {
      const ran = await hob(argv);
      expect(ran.out).toBe('');
      expect(ran.err).toMatch(/^hob: .+\n$/u);
      return `${ran.code} ${ran.err}`;
    },
    stop: async (): Promise<void> => {
      await hob(['stop']);
      await rm(statePath, { recursive: true, force: true });
    },
  };
};
