import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, runHob, startHob } from './process.ts';

const PRACTICE = { LAL_HOST: 'practice:' };
const fixture = (name: string): string =>
  join(import.meta.dirname, 'fixtures', name);

const SETUP = join(import.meta.dirname, '../../setup/hob.ts');

let statePath = '';

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
});

afterEach(async () => {
  await runHob(statePath, ['stop']);
  await rm(statePath, { recursive: true });
});

const daemonPid = async (): Promise<number> => {
  const { out } = await runHob(statePath, ['start', '--json']);
  return (JSON.parse(out) as { pid: number }).pid;
};

describe('up, with a pipe', () => {
  it('answers, remembers, ends well, and leaves nothing running', async () => {
    const { code, out } = await runHob(statePath, ['up'], {
      input: 'what is 2 + 3?\nmy name is Ada\nwhat is my name?\n',
      env: PRACTICE,
    });
    const [sum, greeting, name, ...rest] = out.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(sum).toMatch(/^practice model:.*5/u);
    expect(greeting).toMatch(/^practice model:/u);
    expect(name).toMatch(/^practice model:.*Ada/u);
    expect(rest).toEqual([]);
    expect(await isRunning(statePath)).toBe(false);
  });

  it('finds the agent it made before, and leaves it as it is', async () => {
    await runHob(statePath, ['up', '--no-talk'], { env: PRACTICE });
    const second = await runHob(statePath, ['up', '--no-talk', '--json']);
    expect(JSON.parse(second.out)).toMatchObject({
      started: false,
      agent: 'hob',
    });
    expect(second.err).toContain('left as it is');
    const talk = await runHob(statePath, ['up'], { input: 'what is 1 + 1?' });
    expect(talk.out).toMatch(/2/u);
    expect(await isRunning(statePath)).toBe(true);
  });

  it('leaves the daemon running when asked, and says what to type', async () => {
    const { code, out, err } = await runHob(statePath, ['up', '--no-talk'], {
      env: { ...PRACTICE, HOB_NAME: 'puck' },
    });
    expect(code).toBe(0);
    expect(out).toContain('talk puck');
    expect(out).toContain('-- stop');
    expect(err).toContain('puck: made, thinks with practice:');
    expect(await isRunning(statePath)).toBe(true);
  });

  it('comes up again after the daemon was killed', async () => {
    const pid = await daemonPid();
    await runHob(statePath, ['up', '--no-talk'], { env: PRACTICE });
    process.kill(pid, 'SIGKILL');
    const { code, out } = await runHob(statePath, ['up'], {
      input: 'what is 4 + 4?',
    });
    expect(code).toBe(0);
    expect(out).toMatch(/^practice model:.*8/u);
  });

  it('is set up anew in place, and answers once', async () => {
    await runHob(statePath, ['up', '--no-talk'], { env: PRACTICE });
    const setUp = ['run', '--UNCONFINED', SETUP, '-E', 'LAL_MAX_STEPS=7'];
    const { code, out } = await runHob(statePath, setUp);
    expect(code).toBe(0);
    expect(out).toMatch(/^hob: set up anew, .*\nnext: .*talk hob\n$/u);
    const again = await runHob(statePath, setUp);
    expect(again.out).toContain('left as it is');
    const talk = await runHob(statePath, ['talk', 'hob'], {
      input: 'what is 4 + 5?',
    });
    expect(talk.out.match(/practice model/gu)).toHaveLength(1);
    const pins = await runHob(statePath, ['list', 'PINS', '--json']);
    expect(JSON.parse(pins.out)).toEqual(['controller-for-hob']);
  });

  it('takes no arguments for the setup, and says where settings go', async () => {
    await daemonPid();
    const setUp = ['run', '--UNCONFINED', SETUP, 'now'];
    const { code, err } = await runHob(statePath, setUp);
    expect(code).toBe(1);
    expect(err).toContain('-E LAL_HOST=');
  });

  it('refuses a malformed setting, and leaves nothing running', async () => {
    const { code, out, err } = await runHob(statePath, ['up'], {
      input: 'hello',
      env: { LAL_HOST: 'nonsense' },
    });
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toMatch(/hob: LAL_HOST is "nonsense"/u);
    expect(await isRunning(statePath)).toBe(false);
  });

  it('never prints the token', async () => {
    const env = {
      LAL_HOST: 'http://127.0.0.1:9/v1',
      LAL_AUTH_TOKEN: 'hunter2-hunter2',
    };
    const { out, err } = await runHob(statePath, ['up', '--no-talk'], { env });
    const { out: log } = await runHob(statePath, ['log']);
    const { out: stored } = await runHob(statePath, [
      'show',
      'lal-config',
      '--as',
      'profile-for-hob',
    ]);
    expect(stored).toContain('hasToken: true');
    for (const text of [out, err, log, stored]) {
      expect(text).not.toContain('hunter2');
    }
  });

  it('says why a daemon does not start', async () => {
    const { code, err } = await runHob(statePath, ['start'], {
      env: { HOB_SOCK: join(statePath, 'no', 'such', 'x'.repeat(120)) },
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^hob: /mu);
  });
});

describe('a process that talks', () => {
  const setUp = async (): Promise<number> => {
    const pid = await daemonPid();
    await runHob(statePath, ['run', '--UNCONFINED', fixture('make-echo.ts')]);
    return pid;
  };

  it('stops the turn at the first SIGINT and leaves at the second', async () => {
    await setUp();
    const talk = startHob(statePath, ['talk', 'echo']);
    talk.type('hello');
    await talk.seen(/echo: hello/u);
    talk.type('hang');
    talk.type('still here');
    // Until the turn runs, a SIGINT would be the last one.
    await turnsOpen();
    talk.signal('SIGINT');
    await talk.seen(/echo: still here/u);
    // Two that follow at once count as one, so this may need another.
    const state = { over: false };
    void talk.finished.then(() => {
      state.over = true;
    });
    while (!state.over) {
      talk.signal('SIGINT');
      await Promise.race([talk.finished, runHob(statePath, ['ping'])]);
    }
    const { code, err } = await talk.finished;
    expect(code).toBe(130);
    expect(err).toContain('stopping the turn');
  });

  /** Resolves when the echo agent is in a turn. */
  const turnsOpen = async (): Promise<void> => {
    for (;;) {
      const { out } = await runHob(statePath, ['status']);
      if (out.includes('1 open turns')) return;
    }
  };

  it('says so when the daemon goes away, and exits with 1', async () => {
    const pid = await setUp();
    const talk = startHob(statePath, ['talk', 'echo']);
    talk.type('hello');
    await talk.seen(/echo: hello/u);
    process.kill(pid, 'SIGKILL');
    const { code, err } = await talk.finished;
    expect(code).toBe(1);
    expect(err).toMatch(/^hob: the daemon at .* went away/mu);
  });

  it('reads a line without a line feed at the end, and a CRLF', async () => {
    await setUp();
    const { out } = await runHob(statePath, ['talk', 'echo'], {
      input: 'one\r\nlast',
    });
    expect(out).toBe('echo: one\necho: last\n');
  });

  it('has no output of a script in its one JSON document', async () => {
    await daemonPid();
    const { code, out, err } = await runHob(statePath, [
      'run',
      '--json',
      '--UNCONFINED',
      fixture('show-powers.ts'),
      'x',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ args: ['x'], hasNames: true });
    expect(err).toContain('a line of the script');
  });
});
