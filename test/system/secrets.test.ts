import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  startOpenAiServer,
  type OpenAiServer,
} from '../support/openai-server.ts';
import { runHob } from '../cli/process.ts';

const OLD = 'sk-old-0a1b2c3d4e5f';
const NEW = 'sk-new-6a7b8c9d0e1f';
/** What else is secret in a person's shell. */
const SHELL = {
  GITHUB_TOKEN: 'ghp-of-the-shell',
  DATABASE_URL: 'postgres://u:of-the-shell@db.test/x',
};

let statePath = '';
let server: OpenAiServer;

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  server = await startOpenAiServer(() => ({ text: 'Here I am.' }));
});
afterEach(async () => {
  await runHob(statePath, ['stop']);
  await server.close();
  await rm(statePath, { recursive: true });
});

const setUp = async (token: string): Promise<void> => {
  const { code, err } = await runHob(statePath, ['up', '--no-talk'], {
    env: {
      ...SHELL,
      LAL_HOST: server.url,
      LAL_MODEL: 'scripted',
      LAL_AUTH_TOKEN: token,
    },
  });
  expect(err).not.toContain(token);
  expect(code).toBe(0);
};

const talk = async (): Promise<unknown> => {
  const { out } = await runHob(statePath, ['talk', 'hob'], { input: 'Hi' });
  expect(out).toBe('Here I am.\n');
  return server.requests.at(-1)?.headers['authorization'];
};

/** Paths of all files under the state directory that hold the text. */
const filesWith = async (text: string): Promise<readonly string[]> => {
  const entries = await readdir(statePath, {
    recursive: true,
    withFileTypes: true,
  });
  const found = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return (await readFile(path)).includes(text) ? [path] : [];
      }),
  );
  return found.flat();
};

/** The process, and all that it has started. Linux. */
const familyOf = async (pid: number): Promise<readonly number[]> => {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const children = text.split(' ').filter(Boolean).map(Number);
  const families = await Promise.all(children.map(familyOf));
  return [pid, ...families.flat()];
};

const daemonFamily = async (): Promise<readonly number[]> => {
  const { out } = await runHob(statePath, ['ping', '--json']);
  return familyOf((JSON.parse(out) as { pid: number }).pid);
};

describe('the token of an agent', () => {
  it('is in no file under the state directory any more once it was rotated', async () => {
    await setUp(OLD);
    expect(await talk()).toBe(`Bearer ${OLD}`);
    // It is there, so that this test would find it.
    expect(await filesWith(OLD)).not.toEqual([]);
    await setUp(NEW);
    expect(await talk()).toBe(`Bearer ${NEW}`);
    expect(await filesWith(OLD)).toEqual([]);
    await runHob(statePath, ['stop']);
    expect(await filesWith(OLD)).toEqual([]);
    expect(await filesWith(NEW)).toEqual([join(statePath, 'hob.sqlite')]);
  });

  it('is on no command line, and in the environment of no process of the daemon', async () => {
    await setUp(OLD);
    await setUp(NEW);
    await runHob(statePath, ['eval', "Far('Kept', {})", '--name', 'kept']);
    const pids = await daemonFamily();
    // The daemon, the agent's worker, and one for evaluated code.
    expect(pids.length).toBeGreaterThanOrEqual(3);
    const secrets = [OLD, NEW, ...Object.values(SHELL)];
    for (const pid of pids) {
      for (const file of ['cmdline', 'environ']) {
        const text = await readFile(`/proc/${pid}/${file}`, 'utf8');
        for (const secret of secrets) {
          expect(text.includes(secret), `${file} of ${pid}`).toBe(false);
        }
      }
    }
  });

  it('stays when another setting changes, and goes where it is set to nothing', async () => {
    await setUp(OLD);
    const change = (env: Readonly<Record<string, string>>) =>
      runHob(statePath, ['up', '--no-talk'], { env });
    const changed = await change({ LAL_MAX_STEPS: '7' });
    expect(changed.err).toContain('hob: set up anew');
    expect(await talk()).toBe(`Bearer ${OLD}`);
    await change({ LAL_AUTH_TOKEN: '' });
    expect(await talk()).not.toBe(`Bearer ${OLD}`);
    expect(await filesWith(OLD)).toEqual([]);
  });
});
