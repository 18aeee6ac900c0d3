import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCli } from './in-process.ts';

const fixture = (name: string): string =>
  join(import.meta.dirname, 'fixtures', name);

const AS_BOB = ['--as', 'profile-for-bob'];

type Message = {
  readonly number: string;
  readonly type: string;
  readonly state?: string;
  readonly replyTo?: string;
  readonly valueNames?: readonly (readonly string[])[];
};

let statePath = '';
let hob: ReturnType<typeof makeCli>;

/** The one JSON document that a verb prints. */
const json = async (...argv: string[]): Promise<unknown> => {
  const { code, out, err } = await hob([...argv, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as unknown;
};

/** What a verb prints when it works. */
const said = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await hob(argv);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return out;
};

/** What a verb says when it fails, in one line. */
const failure = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await hob(argv);
  expect(out).toBe('');
  expect(err).toMatch(/^hob: .+\n$/u);
  return `${code} ${err}`;
};

const newest = async (...as: string[]): Promise<Message> => {
  const messages = (await json('inbox', ...as)) as readonly Message[];
  const message = messages.at(-1);
  if (message === undefined) throw Error('No mail');
  return message;
};

/** Proposes as bob; the number that the HOST knows the proposal by. */
const propose = async (source: string, ...more: string[]): Promise<string> => {
  await said('eval', source, ...more, '--no-wait', ...AS_BOB);
  return (await newest()).number;
};

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  hob = makeCli(statePath);
  await hob(['start']);
  await hob(['run', '--UNCONFINED', fixture('make-guest.ts'), 'bob']);
  await hob(['store', 'tally', '--bigint', '7']);
  await hob(['send', 'bob', 'here is @n:tally']);
  const { number } = await newest(...AS_BOB);
  await hob(['adopt', number, 'n', ...AS_BOB]);
});

afterAll(async () => {
  await hob(['stop']);
  await rm(statePath, { recursive: true });
});

describe('a proposal', () => {
  it('is shown in the inbox with the names that the host has', async () => {
    const number = await propose('n + 1n', 'n');
    const inbox = await said('inbox');
    expect(inbox).toContain(`#${number}  "bob" → you`);
    expect(inbox).toContain('(needs a decision)');
    expect(inbox).toContain('      n = your "tally"\n');
    expect(inbox).toContain('      1  n + 1n\n');
    expect(inbox).toContain(`npm run -s hob -- grant ${number}`);
    expect(await newest()).toMatchObject({
      type: 'eval-proposal-reviewer',
      state: 'open',
      valueNames: [['tally']],
    });
    expect(await newest(...AS_BOB)).toMatchObject({
      type: 'eval-proposal-proposer',
      number: expect.any(String) as string,
    });
    await said('reject', number);
  });

  it('that is long is whole when it is asked for', async () => {
    const source = Array.from({ length: 90 }, (_, i) => `${i};`).join('\n');
    const number = await propose(source);
    expect(await said('inbox')).toContain('NOT ALL IS SHOWN: 50 of 90');
    const whole = await said('inbox', number);
    expect(whole).toContain(' 90  89;\n');
    expect(whole).not.toContain('NOT ALL');
    expect(await json('inbox', number)).toMatchObject({ source });
    await said('reject', number);
  });

  it('is granted once, and shows its result', async () => {
    const number = await propose('n * 6n', 'n', '--name', 'answer');
    expect(await said('grant', number)).toBe('42n\n');
    expect(await said('show', 'answer', ...AS_BOB)).toBe('42n\n');
    expect(await said('inbox', number)).toContain('(granted)');
    expect(await failure('grant', number)).toMatch(/^1 .*already granted/u);
    expect(await failure('reject', number)).toMatch(/^1 .*already granted/u);
  });

  it('is granted in JSON', async () => {
    const number = await propose('({ a: n })', 'n');
    expect(await json('grant', number)).toEqual({
      granted: number,
      result: { a: '7' },
    });
  });

  it('whose code fails says so, and is not run again', async () => {
    const number = await propose('n.missing.more', 'n');
    expect(await failure('grant', number)).toMatch(
      /^1 .*granted, but the code failed: /u,
    );
    expect(await said('inbox', number)).toContain(
      '(granted, but its code failed)',
    );
    expect(await failure('grant', number)).toMatch(/^1 .*already granted/u);
  });

  it('is rejected, and the reason reaches the proposer', async () => {
    const waiting = hob(['eval', '1 + 1', ...AS_BOB], {
      onText: (text) => {
        if (text.includes('waiting') || text.includes('Ctrl-C')) seen();
      },
    });
    let seen: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      seen = resolve;
    });
    const { number } = await newest();
    expect(await said('reject', number, '- not', 'like this')).toBe(
      `rejected #${number}\n`,
    );
    const { code, err } = await waiting;
    expect(code).toBe(1);
    expect(err).toContain('- not like this');
    expect(await said('inbox', number)).toContain('(rejected)');
    expect(await failure('grant', number)).toMatch(/^1 .*already rejected/u);
  });

  it('is countered by other code, with the values it goes on using', async () => {
    const number = await propose('n + 1n', 'n');
    const out = await json('counter', number, '--source', 'n + 2n');
    expect(out).toMatchObject({
      countered: number,
      bindings: [{ codeName: 'n', petName: 'tally' }],
    });
    const counter = await newest(...AS_BOB);
    expect(counter).toMatchObject({
      type: 'eval-proposal-reviewer',
      source: 'n + 2n',
      valueNames: [['n']],
    });
    const own = await newest();
    expect(await said('inbox', number)).toContain(
      `(countered by #${own.number})`,
    );
    expect(await said('inbox', own.number)).toContain('you proposed to run');
    const theirs = await said('inbox', counter.number, ...AS_BOB);
    expect(theirs).toContain(`reject ${counter.number}`);
    expect(theirs).not.toContain(`grant ${counter.number}`);
    expect(await failure('grant', counter.number, ...AS_BOB)).toMatch(
      /^1 .*only a host can/u,
    );
    await said('reject', counter.number, 'no', ...AS_BOB);
    expect(await said('inbox', own.number)).toContain('(closed)');
  });

  it('is countered with other values', async () => {
    const number = await propose('1');
    const argv = ['counter', number, 'm:tally', '--source', 'm + 2n'];
    expect(await said(...argv)).toBe(`countered #${number}\n`);
    expect(await newest(...AS_BOB)).toMatchObject({
      codeNames: ['m'],
      source: 'm + 2n',
    });
  });

  it('says which value of it has no name here', async () => {
    await said('store', 'own', '--text', 'x', ...AS_BOB);
    const number = await propose('own', 'own');
    expect(await said('inbox', number)).toContain(
      'own = unknown to you; the proposer calls it "own"',
    );
    expect(await failure('counter', number, '--source', 'own + 1')).toMatch(
      /^1 .*no name for the value own.*own:<petName>/u,
    );
    expect(await said('counter', number, '--source', '2')).toContain(
      'countered',
    );
  });

  it('says what is wrong with what was typed', async () => {
    expect(await failure('grant', '9999')).toMatch(/^1 .*9999/u);
    expect(await failure('grant', 'x')).toMatch(/^2 .*message number/u);
    expect(await failure('counter', '9999', '--source', '1')).toMatch(
      /^1 .*9999/u,
    );
    const number = await propose('1');
    expect(await failure('counter', number)).toMatch(/^2 .*--source/u);
    expect(
      await failure('counter', number, 'a-b:tally', '--source', '1'),
    ).toMatch(/^2 .*"a-b" cannot be a name in code/u);
    expect(await failure('resolve', number, 'tally')).toMatch(
      /^1 .*proposal of code/u,
    );
    await said('reject', number);
    expect(await failure('inbox', '9999')).toMatch(/^1 .*#9999/u);
  });
});

describe('a request', () => {
  it('is answered with a value, under the name that was given', async () => {
    const out = await json(
      'request',
      'HOST',
      'a number',
      '--name',
      'given',
      '--no-wait',
      ...AS_BOB,
    );
    expect(out).toMatchObject({ asked: 'HOST', name: 'given' });
    const { number } = await newest();
    expect(await said('inbox')).toContain('    asks for: a number\n');
    expect(await said('inbox')).toContain(`resolve ${number} <name>`);
    expect(await said('resolve', number, 'tally')).toBe(
      `answered #${number} with tally\n`,
    );
    expect(await said('show', 'given', ...AS_BOB)).toBe('7n\n');
    expect(await failure('resolve', number, 'tally')).toMatch(/^1 .*already/u);
    expect(await said('inbox', number)).toContain('(granted)');
  });

  const ask = (
    description: string,
    then: (ctrlC: () => void) => void,
    ...more: string[]
  ) =>
    hob(['request', 'HOST', description, ...more, ...AS_BOB], {
      onText: (text, { ctrlC }) => {
        if (text.includes('Ctrl-C ends the wait')) then(ctrlC);
      },
    });

  it('is waited for', async () => {
    const { code, out } = await ask(
      'a tally',
      () => {
        void newest().then(({ number }) => hob(['resolve', number, 'tally']));
      },
      '--name',
      'mine',
    );
    expect({ code, out }).toEqual({ code: 0, out: '7n\nit is now mine\n' });
  });

  it('is refused with a reason', async () => {
    const { code, err } = await ask('the moon', () => {
      void newest().then(({ number }) => hob(['reject', number, 'too big']));
    });
    expect(code).toBe(1);
    expect(err).toContain('too big');
  });

  it('stays when the wait is ended', async () => {
    const { code } = await ask('a star', (ctrlC) => ctrlC());
    expect(code).toBe(3);
    expect(await newest()).toMatchObject({ type: 'request', state: 'open' });
  });

  it('says what is wrong with what was typed', async () => {
    expect(await failure('request', 'nobody', 'x')).toMatch(/^1 .*nobody/u);
    expect(await failure('request', 'bob', 'x', '--no-wait')).toMatch(
      /^2 .*--name/u,
    );
  });
});
