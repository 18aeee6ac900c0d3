import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

const leaky = fileURLToPath(new URL('./fixtures/leaky.ts', import.meta.url));

// Rejects unless the error reached its asker and the process ended well.
const run = async (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, [leaky, ...args]);

describe('a locked down process', () => {
  it('writes nothing of the errors that it sends and gets, nor of its console', async () => {
    expect(await run()).toEqual({ stdout: '', stderr: '' });
  });

  it('writes what its console is given to the sink, and never the errors that it sends', async () => {
    expect(await run('sink')).toEqual({
      stdout: "warn: a library speaks { of: 'this' }\n",
      stderr: '',
    });
  });
});
