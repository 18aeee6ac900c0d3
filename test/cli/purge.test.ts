import {
  mkdir,
  mkdtemp,
  readdir,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { purge } from '../../cli/commands/purge.ts';
import type { CliPowers } from '../../cli/powers.ts';
import { makeCli } from './in-process.ts';

let base = '';

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'hob-'));
});

afterEach(async () => {
  await makeCli(join(base, 'state'))(['stop']);
  await rm(base, { recursive: true });
});

const entries = async (): Promise<readonly string[]> => readdir(base);

describe('purge', () => {
  it('stops the daemon and removes the directory, when told yes', async () => {
    const statePath = join(base, 'state');
    const hob = makeCli(statePath);
    await hob(['start']);
    const refused = await hob(['purge']);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('--yes');
    const kept = await hob(['purge'], { isTTY: true, lines: ['y?'] });
    expect(kept.code).toBe(1);
    expect(kept.out).toContain(`stops the daemon and removes ${statePath}`);
    expect((await hob(['ping'])).code).toBe(0);
    const { code, out, err } = await hob(['purge', '--yes']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toBe(`stopped the daemon\nremoved ${statePath}\n`);
    expect(await entries()).toEqual([]);
    expect((await hob(['ping'])).code).toBe(1);
    expect((await hob(['purge', '--yes'])).out).toContain('nothing to remove');
  });

  it('removes what a daemon that is not running has left', async () => {
    const hob = makeCli(join(base, 'state'));
    await hob(['start']);
    await hob(['stop']);
    const { code, out } = await hob(['purge'], { isTTY: true, lines: ['yes'] });
    expect(code).toBe(0);
    expect(out).not.toContain('stopped');
    expect(await entries()).toEqual([]);
  });

  it('leaves a directory that holds anything else', async () => {
    const statePath = join(base, 'state');
    await mkdir(statePath);
    const hob = makeCli(statePath);
    const empty = await hob(['purge', '--yes']);
    expect(empty.code).toBe(1);
    expect(empty.err).toContain('does not look like a state directory');
    await writeFile(join(statePath, 'hob.sqlite'), '');
    await writeFile(join(statePath, 'thesis.txt'), 'years of work');
    const { code, err } = await hob(['purge', '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('"thesis.txt" is not of a daemon');
    expect(await readdir(statePath)).toEqual(['hob.sqlite', 'thesis.txt']);
  });

  it('touches nothing before the process of the daemon is gone', async () => {
    const done: string[] = [];
    let polls = 0;
    let close: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      close = resolve;
    });
    const endo = {
      ping: () => Promise.resolve({ pid: 7 }),
      host: () => Promise.resolve({}),
      terminate: () => {
        close();
        return Promise.resolve();
      },
    };
    const powers = {
      ...{ stdout: { write: () => undefined }, env: {} },
      paths: { statePath: '/s', socketPath: '/s/hob.sock' },
      connect: () => Promise.resolve({ endo, closed, close: () => undefined }),
      after: (ms: number, fire: () => void) => {
        if (ms < 1_000) fire();
        return () => undefined;
      },
      isRunning: (pid: number) => {
        expect(pid).toBe(7);
        polls += 1;
        done.push('asked');
        return polls < 3;
      },
      files: {
        kindOf: (path: string) =>
          Promise.resolve(path === '/s' ? 'directory' : undefined),
        listDirectory: () => Promise.resolve(['hob.sqlite', 'cache']),
        removeAll: (path: string) => Promise.resolve(void done.push(path)),
        removeEmptyDirectory: (path: string) =>
          Promise.resolve(void done.push(path)),
      },
    } as unknown as CliPowers;
    const call = { args: [], options: { yes: true }, json: false };
    expect(await purge.run(powers, call)).toBe(0);
    expect(done).toEqual([
      ...['asked', 'asked', 'asked'],
      ...['/s/hob.sqlite', '/s/cache', '/s'],
    ]);
  });

  it('follows no link', async () => {
    const elsewhere = join(base, 'elsewhere');
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, 'hob.sqlite'), '');
    await symlink(elsewhere, join(base, 'state'));
    const { code, err } = await makeCli(join(base, 'state'))([
      'purge',
      '--yes',
    ]);
    expect(code).toBe(1);
    expect(err).toContain('no directory of its own');
    expect(await readdir(elsewhere)).toEqual(['hob.sqlite']);
  });
});
