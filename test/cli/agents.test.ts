import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, startCli } from './running.ts';

let cli: Awaited<ReturnType<typeof startCli>>;

type Report = {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly openDecisions: string;
};

const reportOn = async (name: string): Promise<Report | undefined> =>
  ((await cli.json('agents')) as readonly Report[]).find(
    (each) => each.name === name,
  );

const makeEcho = (name: string): Promise<string> =>
  cli.said('run', '--UNCONFINED', fixture('make-echo.ts'), name);

beforeAll(async () => {
  cli = await startCli();
});

afterAll(() => cli.stop());

describe('agents', () => {
  it('says that there are none', async () => {
    expect(await cli.said('agents')).toBe('no agents; "up" makes one\n');
    expect(await cli.json('agents')).toEqual([]);
  });

  it('shows model, state, open turns, decisions and tokens', async () => {
    await makeEcho('echo');
    expect(await cli.said('agents')).toBe(
      'echo  ready  (none, echo)\n    0 open turns, 0 decisions for you; tokens since its start: 1 in, 0 cached, 2 out\n',
    );
    await cli.said('send', 'echo', 'ask a cup');
    await cli.said('send', 'echo', 'hang');
    await expect
      .poll(async () => reportOn('echo'), { timeout: 20_000 })
      .toMatchObject({ state: 'working', openDecisions: '1' });
    expect(await cli.said('agents')).toContain(
      '1 open turn, 1 decision for you',
    );
  });

  it('shows guests that nothing acts for, and no hosts', async () => {
    await cli.said('mkguest', 'idle');
    await cli.said('mkhost', 'desk');
    expect(await reportOn('idle')).toMatchObject({
      state: 'no-controller',
      reason: 'nothing acts for this guest',
    });
    expect(await reportOn('desk')).toBeUndefined();
  });

  it('shows one that cannot come up, or whose file is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hob-'));
    const file = join(folder, 'short.ts');
    try {
      await copyFile(fixture('make-guest.ts'), file);
      for (const name of ['lost', 'broken']) {
        await cli.said('mkguest', name);
        const made = await cli.hob([
          ...['make', '--UNCONFINED', file],
          ...['-n', `controller-for-${name}`, '-p', `profile-for-${name}`],
        ]);
        expect(made.code).toBe(1);
      }
      const config = { host: 'practice:', caplet: pathToFileURL(file).href };
      await cli.said(
        ...['store', 'lal-config', '--json', JSON.stringify(config)],
        ...['--as', 'profile-for-lost'],
      );
      expect(await reportOn('lost')).toMatchObject({ state: 'dead' });
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(await reportOn('broken')).toMatchObject({ state: 'dead' });
    const lost = await reportOn('lost');
    expect(lost).toMatchObject({ state: 'file-gone', model: 'practice:' });
    expect(lost?.reason).toContain(file);
    expect(await cli.said('agents')).toContain('lost  its file is gone');
  });
});

describe('agent remove', () => {
  it('says what to type', async () => {
    expect(await cli.failure('agent')).toMatch(
      /^2 .*"agent" needs a verb; say agent remove <name>/u,
    );
    expect(await cli.failure('agent', 'bob')).toMatch(
      /^2 .*no verb "agent bob"; say agent remove <name>/u,
    );
    expect(await cli.failure('agent', 'remove')).toMatch(/^2 .*name/u);
    expect(await cli.failure('agent', 'remove', 'nobody', '--yes')).toMatch(
      /^1 .*no agent "nobody"/u,
    );
    expect(await cli.failure('agent', 'remove', 'desk', '--yes')).toMatch(
      /^1 .*a host/u,
    );
  });

  it('asks, and changes nothing when nobody says yes', async () => {
    await makeEcho('careful');
    expect(await cli.failure('agent', 'remove', 'careful')).toMatch(
      /^2 .*--yes/u,
    );
    const declined = await cli.hob(['agent', 'remove', 'careful'], {
      lines: ['no'],
      isTTY: true,
    });
    expect(declined.code).toBe(1);
    expect(declined.out).toContain('"careful" is stopped');
    expect(await reportOn('careful')).toMatchObject({ state: 'ready' });
    const agreed = await cli.hob(['agent', 'remove', 'careful'], {
      lines: ['yes'],
      isTTY: true,
    });
    expect(agreed.code).toBe(0);
    expect(agreed.out).toMatch(/removed careful\n$/u);
    expect(await reportOn('careful')).toBeUndefined();
  });

  it('takes every name, the pin too, and stops what runs', async () => {
    await makeEcho('gone');
    await cli.said('copy', 'controller-for-gone', 'PINS/controller-for-gone');
    await cli.said(
      ...['store', 'transcript-0a', '--text', 'x'],
      ...['--as', 'profile-for-gone'],
    );
    await cli.said('store', 'tea', '--text', 'x', '--as', 'profile-for-gone');
    await cli.said('send', 'gone', 'ask a cup');
    await expect
      .poll(async () => (await reportOn('gone'))?.openDecisions, {
        timeout: 20_000,
      })
      .toBe('1');
    const said = await cli.said('agent', 'remove', 'gone', '--yes');
    expect(said).toContain(
      'PINS/controller-for-gone, controller-for-gone, profile-for-gone, gone',
    );
    expect(said).toContain('1 record of conversations and 1 named value go');
    expect(said).toMatch(/Undecided between you and it: #\d+;/u);
    const names = (await cli.json('list')) as readonly string[];
    expect(names.filter((name) => name.includes('gone'))).toEqual([]);
    expect(await cli.json('list', 'PINS')).toEqual([]);
    expect(await reportOn('echo')).toMatchObject({ state: 'working' });
  });

  it('says by what other name the agent stays', async () => {
    await makeEcho('twin');
    await cli.said('copy', 'profile-for-twin', 'my-twin');
    expect(await cli.json('agent', 'remove', 'twin', '--yes')).toMatchObject({
      otherNames: ['my-twin'],
    });
    expect(await cli.json('list', '--as', 'my-twin')).toContain('HOST');
  });

  it('ends what runs, also when another name keeps it', async () => {
    await cli.said('mkguest', 'zoe');
    await cli.said(
      ...['make', '--UNCONFINED', fixture('counter.ts')],
      ...['-n', 'controller-for-zoe', '-p', 'profile-for-zoe'],
    );
    await cli.said('copy', 'controller-for-zoe', 'spare');
    const next = (): Promise<string> =>
      cli.said('eval', 'E(c).next()', 'c:spare');
    expect([await next(), await next()]).toEqual(['1n\n', '2n\n']);
    expect(await cli.json('agent', 'remove', 'zoe', '--yes')).toMatchObject({
      otherNames: ['spare'],
    });
    expect(await next()).toBe('1n\n');
  });

  it('leaves a value that only has the same name', async () => {
    await makeEcho('sam');
    await cli.said('store', 'sam', '--text', 'a value', '--replace');
    await cli.said('agent', 'remove', 'sam', '--yes');
    expect(await cli.said('show', 'sam')).toBe('a value\n');
  });
});
