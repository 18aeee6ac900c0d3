import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let statePath = '';

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
});
afterEach(() => rm(statePath, { recursive: true }));

type Ended = { readonly code: number | null; readonly out: string };

/** `npm start`, as it is typed, with this piped in. */
const npmStart = (input: string): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn('npm', ['start', '--silent'], {
      cwd: root,
      env: {
        PATH: process.env['PATH'],
        HOME: statePath,
        HOB_STATE_PATH: statePath,
        LAL_HOST: 'practice:',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out }));
    child.stdin.end(input);
  });

it('takes a message a line, answers each, and ends well', async () => {
  const { code, out } = await npmStart(
    'what is 17 * 23 + 4?\nmy name is Ada\nwhat is my name?\n',
  );
  const lines = out.trimEnd().split('\n');
  expect(lines[0]).toBe('practice model: 17 * 23 + 4 = 395');
  expect(lines[2]).toBe('practice model: Your name is Ada.');
  expect(lines).toHaveLength(3);
  expect(code).toBe(0);
});

it('keeps the agent and its values for the next time', async () => {
  await npmStart('store 5 as lucky-number\n');
  const { code, out } = await npmStart('list names\n');
  expect(out).toContain('lucky-number');
  expect(code).toBe(0);
});
