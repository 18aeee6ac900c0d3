import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRunning, runHob, startHob } from './process.ts';

const PRACTICE = { LAL_HOST: 'practice:' };

let statePath = '';

beforeEach(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
});

afterEach(async () => {
  await runHob(statePath, ['stop']);
  await rm(statePath, { recursive: true });
});

describe('leaving what up has started', () => {
  it('stops the daemon when the reader of its output goes away', async () => {
    const up = startHob(statePath, ['up'], PRACTICE);
    up.type('what is 1 + 1?');
    await up.seen(/1 \+ 1 = 2/u);
    up.closeOutput();
    up.type('what is 2 + 2?');
    await up.finished;
    expect(await isRunning(statePath)).toBe(false);
  });

  it('stops the daemon when the terminal is closed', async () => {
    const up = startHob(statePath, ['up'], PRACTICE);
    up.type('what is 1 + 1?');
    await up.seen(/1 \+ 1 = 2/u);
    up.signal('SIGHUP');
    await up.finished;
    expect(await isRunning(statePath)).toBe(false);
  });

  it('spares a daemon that somebody else uses by then, and says so', async () => {
    const up = startHob(statePath, ['up'], PRACTICE);
    up.type('what is 1 + 1?');
    await up.seen(/1 \+ 1 = 2/u);
    const other = startHob(statePath, ['talk', 'hob']);
    other.type('what is 2 + 2?');
    await other.seen(/2 \+ 2 = 4/u);
    up.endInput();
    expect((await up.finished).err).toContain('somebody else is using it');
    other.type('what is 3 + 3?');
    await other.seen(/3 \+ 3 = 6/u);
    other.endInput();
    expect((await other.finished).code).toBe(0);
  });
});

it('finds its daemon again by a relative path', async () => {
  const path = relative(process.cwd(), statePath);
  const { code, out } = await runHob(path, ['up'], {
    env: PRACTICE,
    input: 'what is 4 + 4?',
  });
  expect(out).toContain('4 + 4 = 8');
  expect(code).toBe(0);
  expect(await isRunning(statePath)).toBe(false);
});

it('names a misspelt setting of its own', async () => {
  const { code, err } = await runHob(statePath, ['up'], {
    env: { ...PRACTICE, HOB_NMAE: 'puck' },
  });
  expect(err).toContain('no setting HOB_NMAE; there are HOB_NAME');
  expect(code).toBe(1);
});

it('answers help for a verb that is not there in words', async () => {
  const { code, err } = await runHob(statePath, ['help', 'nope']);
  expect(err).toBe('hob: there is no such verb; --help lists them\n');
  expect(code).toBe(2);
});
