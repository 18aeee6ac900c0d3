import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCli } from './in-process.ts';
import type { Ran } from './in-process.ts';

// The real daemon, the real agent in its worker, and the practice model.
const SETUP = join(import.meta.dirname, '../../setup/hob.ts');

let statePath = '';
let hob: ReturnType<typeof makeCli>;

const talk = (...lines: string[]): Promise<Ran> =>
  hob(['talk', 'hob'], { lines });

/** Proposes, undecided; the number of the proposal. */
const propose = async (text: string): Promise<string> => {
  const { code, out } = await talk(`propose ${text}`);
  expect(code).toBe(3);
  const number = /needs a decision \(#(\d+)\)/u.exec(out)?.[1];
  if (number === undefined) throw Error(`No number: ${out}`);
  return number;
};

/** Resolves when the inbox shows this text. */
const untilTold = (text: string): Promise<Ran> => {
  let all = '';
  return hob(['inbox', '--follow'], {
    onText: (more, { ctrlC }) => {
      all += more;
      if (all.includes(text)) ctrlC();
    },
  });
};

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  hob = makeCli(statePath);
  await hob(['start']);
  const settings = ['-E', 'LAL_HOST=practice:'];
  const made = await hob(['run', '--UNCONFINED', SETUP, ...settings]);
  expect(made.err).toBe('');
  expect(made.code).toBe(0);
});

afterAll(async () => {
  delete process.env['LAL_HOST'];
  await hob(['stop']);
  await rm(statePath, { recursive: true });
});

describe('what the agent proposes', () => {
  it('ends a pipe with exit code 3, and is granted by a verb', async () => {
    const number = await propose('6 * 7');
    expect((await hob(['grant', number])).out).toBe('42\n');
    const { out } = await untilTold(`My proposal`);
    expect(out).toContain('was granted. The result is 42');
    expect((await hob(['grant', number])).err).toContain('already granted');
  });

  it('is granted in the conversation, and answered there', async () => {
    const { code, out } = await talk('propose 2 ** 10', '/grant', '1 + 1');
    expect(code).toBe(0);
    expect(out).toContain(
      `what for, in the proposer's own words: "you asked me to propose this"`,
    );
    expect(out).toMatch(
      /was granted\. The result is 1024\npractice model: 1 \+ 1 = 2\n$/u,
    );
  });

  it('is told when it fails', async () => {
    const { code, out, err } = await talk('propose nothing.there', '/grant');
    expect(code).toBe(1);
    expect(err).toContain('granted, but the code failed');
    expect(out).toMatch(
      /My proposal \(nothing\.there\) was granted, but failed: .*\n$/u,
    );
  });

  it('is rejected with a reason', async () => {
    const { code, out } = await talk('propose 1', '/reject too "simple"');
    expect(code).toBe(0);
    expect(out).toMatch(/was rejected: too "simple"\n$/u);
  });

  it('is countered, and the counter accepted by proposing its code', async () => {
    const lines = ['propose 1', '/counter 6 * 9', '/grant'];
    const { code, out } = await talk(...lines);
    expect(code).toBe(0);
    expect(out).toContain('the code that you proposed');
    expect(out).toMatch(/was granted\. The result is 54\n$/u);
  });

  it('is countered, and the counter declined', async () => {
    await hob(['store', 'tally', '--bigint', '7']);
    const number = await propose('2');
    const source = ['--source', 'tally + 1n'];
    await hob(['counter', number, 'tally:tally', ...source]);
    await untilTold('I have no name for the value tally');
    expect((await hob(['inbox', number])).out).toContain('(countered by #');
  });

  it('is asked for by value, and answered', async () => {
    const { code, out } = await talk('request a tally', '/resolve tally');
    expect(code).toBe(0);
    expect(out).toContain('  asks for: a tally\n');
    expect(out).toMatch(/was granted\. The result is \+?7n?/u);
  });

  it('waits over a restart, and its outcome is told after it', async () => {
    await hob(['store', 'own', '--json', '20', '--as', 'profile-for-hob']);
    const number = await propose('own + 1 with own');
    const { out: shown } = await hob(['inbox', number]);
    expect(shown).toContain(
      'own = unknown to you; the proposer calls it "own"',
    );
    await hob(['stop']);
    await hob(['start']);
    expect((await hob(['grant', number])).out).toBe('21\n');
    expect((await untilTold('The result is 21')).code).toBe(0);
    expect((await hob(['grant', number])).err).toContain('already granted');
  });
});
