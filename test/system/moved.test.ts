import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  startOpenAiServer,
  type OpenAiServer,
} from '../support/openai-server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What `npm start` needs of a clone. */
const PARTS = ['cli', 'daemon', 'providers', 'review', 'setup', 'src'];
const TOKEN = 'sk-of-the-clone';

let folder = '';
let server: OpenAiServer;

const place = (name: string): string => join(folder, name);

const clone = async (name: string): Promise<void> => {
  await mkdir(place(name));
  for (const part of [...PARTS, 'package.json']) {
    await cp(join(root, part), join(place(name), part), {
      recursive: true,
    }).catch((error: unknown) => {
      // A part that this version does not have yet.
      if ((error as { code?: unknown }).code !== 'ENOENT') throw error;
    });
  }
  await symlink(join(root, 'node_modules'), join(place(name), 'node_modules'));
};

type Ended = {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
};

/** The command of a clone, as `npm start` and `npm run hob` run it. */
const hob = (
  name: string,
  argv: readonly string[],
  { env = {}, input = '' }: { env?: object; input?: string } = {},
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['cli/main.ts', ...argv], {
      cwd: place(name),
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        HOB_STATE_PATH: place('state'),
        ...env,
      },
    });
    let out = '';
    let err = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      out += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      err += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
    child.stdin.end(input);
  });

/** The clone that commands are run in when a test is over. */
let last = 'old';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hob-'));
  server = await startOpenAiServer(() => ({ text: 'Here I am.' }));
  last = 'old';
  await clone('old');
});
afterEach(async () => {
  await hob(last, ['stop']);
  await server.close();
  await rm(folder, { recursive: true });
});

const withToken = () => ({
  env: {
    LAL_HOST: server.url,
    LAL_MODEL: 'scripted',
    LAL_AUTH_TOKEN: TOKEN,
    LAL_MAX_STEPS: '7',
  },
});

const authorizations = (): readonly unknown[] =>
  server.requests.map(({ headers }) => headers['authorization']);

describe('a clone that was moved to another folder', () => {
  it('starts there, says what it replaced, and answers with the same settings and token', async () => {
    await hob('old', ['up', '--no-talk'], withToken());
    await rename(place('old'), place('new'));
    last = 'new';

    const status = await hob('new', ['status']);
    expect(status.out).toContain(
      `Hob 0.1.0, ${place('old/daemon/main.ts')}, which is gone`,
    );
    expect(status.out).toContain('npm run -s hob -- start --replace');
    expect(status.out).toContain(
      `agent    hob: its file file://${place('old/src/caplet.ts')} is gone`,
    );

    const { code, out, err } = await hob('new', ['up'], { input: 'Hello?' });
    expect(err).toContain(
      `replacing the daemon that runs: it is Hob 0.1.0, ${place('old/daemon/main.ts')}, which is gone`,
    );
    expect(err).toContain('hob: set up anew');
    expect(err).toContain(
      `it runs ${place('new/src/caplet.ts')} now; before, it ran ${place('old/src/caplet.ts')}`,
    );
    expect(err).not.toContain(TOKEN);
    expect(out).toBe('Here I am.\n');
    expect(code).toBe(0);
    expect(new Set(authorizations())).toEqual(new Set([`Bearer ${TOKEN}`]));

    const after = await hob('new', ['status', '--json']);
    expect(JSON.parse(after.out)).toMatchObject({
      running: true,
      daemon: { source: place('new/daemon/main.ts') },
      agents: [{ name: 'hob', status: { model: 'scripted' } }],
    });
    expect(JSON.parse(after.out)).not.toHaveProperty('other');
  });

  it('starts there as well when no daemon runs, and brings the other agents along', async () => {
    await hob('old', ['up', '--no-talk'], withToken());
    const puck = { HOB_NAME: 'puck', ...withToken().env };
    await hob('old', ['up', '--no-talk'], { env: puck });
    await hob('old', ['stop']);
    await rename(place('old'), place('new'));
    last = 'new';
    const { code, err } = await hob('new', ['up', '--no-talk']);
    expect(code).toBe(0);
    expect(err).not.toContain('replacing the daemon');
    expect(err).toMatch(/^hob: set up anew/mu);
    expect(err).toMatch(/^puck: set up anew/mu);
    const talk = await hob('new', ['talk', 'puck'], { input: 'Hello?' });
    expect(talk.out).toBe('Here I am.\n');
    expect(new Set(authorizations())).toEqual(new Set([`Bearer ${TOKEN}`]));
  });
});

describe('a clone that was copied', () => {
  it('replaces the daemon of the first when nobody else is using it', async () => {
    await hob('old', ['up', '--no-talk'], { env: { LAL_HOST: 'practice:' } });
    await clone('new');
    last = 'new';
    const { code, out, err } = await hob('new', ['up'], {
      input: 'what is 2 + 3?',
    });
    expect(err).toMatch(/replacing the daemon that runs: .*old\/daemon/u);
    expect(out).toContain('= 5');
    expect(code).toBe(0);
    const status = await hob('new', ['status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({
      daemon: { source: place('new/daemon/main.ts') },
    });
  });

  it('leaves it to those who are using it, and says which command replaces it', async () => {
    await hob('old', ['up', '--no-talk'], { env: { LAL_HOST: 'practice:' } });
    await clone('new');
    last = 'new';
    const talking = spawn(process.execPath, ['cli/main.ts', 'talk', 'hob'], {
      cwd: place('old'),
      env: { PATH: process.env['PATH'], HOB_STATE_PATH: place('state') },
    });
    const ended = new Promise((resolve) => talking.on('close', resolve));
    talking.stdin.write('what is 1 + 1?\n');
    await new Promise((resolve) => talking.stdout.once('data', resolve));

    const { code, err } = await hob('new', ['up'], { input: 'Hello?' });
    expect(code).toBe(1);
    expect(err).toContain('somebody else is using it');
    expect(err).toContain('npm run -s hob -- start --replace');

    const replaced = await hob('new', ['start', '--replace']);
    expect(replaced.out).toMatch(/^started a daemon at .*, process \d+$/mu);
    expect(replaced.err).toMatch(/^replaced Hob 0\.1\.0, .*old\/daemon/mu);
    expect(await ended).toBe(1);
  });
});
