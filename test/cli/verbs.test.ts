import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandGroups } from '../../cli/commands/index.ts';
import { makeCli } from './in-process.ts';

const fixture = (name: string): string =>
  join(import.meta.dirname, 'fixtures', name);

let statePath = '';
let hob: ReturnType<typeof makeCli>;

/** The one JSON document that a verb prints. */
const json = async (...argv: string[]): Promise<unknown> => {
  const { code, out, err } = await hob(['--json', ...argv]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as unknown;
};

/** What a verb says when it fails, in one line. */
const failure = async (...argv: string[]): Promise<string> => {
  const { code, out, err } = await hob(argv);
  expect(out).toBe('');
  expect(err).toMatch(/^hob: .+\n$/u);
  return `${code} ${err}`;
};

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  hob = makeCli(statePath);
  const { code, err } = await hob(['start']);
  // A slow start says so on standard error.
  expect(code, err).toBe(0);
  const made = await hob(['run', '--UNCONFINED', fixture('make-echo.ts')]);
  expect(made).toEqual({ code: 0, out: 'made echo\n', err: '' });
});

afterAll(async () => {
  await hob(['stop']);
  await rm(statePath, { recursive: true });
});

describe('verbs of the daemon', () => {
  it('say that one answers already', async () => {
    expect((await hob(['start'])).out).toContain('answers already');
    expect(await json('start')).toMatchObject({ started: false });
  });

  it('ping it', async () => {
    expect((await hob(['ping'])).code).toBe(0);
    expect(await json('ping')).toBeTruthy();
  });

  it('show its status and its agents', async () => {
    const { out } = await hob(['status']);
    expect(out).toContain('agent    echo: echo, none; 0 open turns');
    expect(await json('status')).toMatchObject({
      running: true,
      agents: [{ name: 'echo', status: { tokens: { output: '2' } } }],
    });
  });

  it('show where it is, and its log', async () => {
    expect(await json('where')).toMatchObject({ state: statePath });
    expect((await hob(['where', 'socket'])).out).toContain(statePath);
    expect(await failure('where', 'there')).toMatch(/^2 .*state, socket/u);
    expect(await json('log')).toHaveProperty('lines');
    expect(await failure('log', '-n', 'x')).toMatch(/^2 /u);
  });
});

describe('values', () => {
  it('are stored, shown, listed and removed', async () => {
    expect(
      (await hob(['store', 'n', '--bigint', '12345678901234567890'])).out,
    ).toBe('stored n\n');
    expect((await hob(['show', 'n'])).out).toBe('12345678901234567890n\n');
    expect(await json('show', 'n')).toBe('12345678901234567890');
    expect((await hob(['list'])).out.split('\n')).toContain('n');
    expect(await json('list')).toContain('n');
    expect((await hob(['remove', 'n'])).out).toBe('removed n\n');
    expect(await json('list')).not.toContain('n');
  });

  it('are stored from JSON and from text', async () => {
    await hob(['store', 'record', '--json', '{"a":[1,"x"]}']);
    expect((await hob(['show', 'record'])).out).toBe('{ a: [1, "x"] }\n');
    expect(await json('show', 'record')).toEqual({ a: [1, 'x'] });
    await hob(['store', 'text', '--text', '- not an option']);
    expect((await hob(['show', 'text'])).out).toBe('- not an option\n');
  });

  it('store and remove answer in JSON too', async () => {
    expect(await json('store', 'j', '--text', 'x')).toEqual({ stored: 'j' });
    expect(await json('remove', 'j')).toEqual({ removed: 'j' });
  });

  it('that are objects are shown with their methods', async () => {
    const { out } = await hob(['show', 'controller-for-echo']);
    expect(out).toContain('[Echo]');
    expect(out).toContain('  whenSettled()\n');
  });

  it('say what is wrong with what was typed', async () => {
    expect(await failure('store')).toMatch(/^2 .*'name'; .*--help/u);
    expect(await failure('show', 'nowhere')).toMatch(
      /^1 .*"nowhere"; "list" shows/u,
    );
    expect(await failure('store', 'x')).toMatch(/^2 .*--json <v>/u);
    expect(await failure('store', 'x', '--json', '{')).toMatch(
      /^2 .*not JSON/u,
    );
    expect(await failure('store', 'x', '--bigint', '1.5')).toMatch(
      /^2 .*whole/u,
    );
    expect(await failure('store', 'x', '--bigint', '1', '--text', 'a')).toMatch(
      /^2 /u,
    );
    expect(await failure('store', 'No Name', '--text', 'a')).toMatch(
      /^1 .*No Name/u,
    );
    expect(await failure('show', 'nothing')).toMatch(/^1 .*nothing/u);
    expect(await failure('show', 'a//b')).toMatch(/^2 .*not a path/u);
    expect(await failure('show')).toMatch(/^2 .*path/u);
    expect(await failure('list', 'nothing')).toMatch(/^1 .*nothing/u);
    expect(await failure('remove', 'nothing')).toMatch(/^1 .*names nothing/u);
  });
});

describe('mail', () => {
  type Message = {
    readonly number: string;
    readonly type: string;
    readonly fromNames: readonly string[];
    readonly toNames: readonly string[];
    readonly strings: readonly string[];
    readonly names: readonly string[];
  };

  const inboxOf = async (as?: string): Promise<readonly Message[]> =>
    (await json(
      'inbox',
      ...(as === undefined ? [] : ['--as', as]),
    )) as readonly Message[];

  beforeAll(async () => {
    const made = await hob([
      'run',
      '--UNCONFINED',
      fixture('make-guest.ts'),
      'bob',
    ]);
    expect(made.code).toBe(0);
    await hob(['store', 'counter', '--bigint', '7']);
  });

  it('is sent with values, read and adopted by another', async () => {
    const sent = await hob(['send', 'bob', 'take', '@it:counter', '- now']);
    expect(sent.out).toBe('sent to bob\n');
    const message = (await inboxOf('profile-for-bob')).at(-1);
    expect(message).toMatchObject({
      type: 'package',
      fromNames: ['HOST'],
      strings: ['take ', ' - now'],
      names: ['it'],
    });
    expect(message?.toNames).toContain('SELF');
    const as = ['--as', 'profile-for-bob'];
    const number = message?.number ?? '';
    expect(
      (await hob(['adopt', number, 'it', '--name', 'mine', ...as])).out,
    ).toBe(`@it of #${number} is now mine\n`);
    expect((await hob(['show', 'mine', ...as])).out).toBe('7n\n');
    expect(await json('adopt', number, 'it', ...as)).toMatchObject({
      name: 'it',
    });
    expect(await failure('adopt', number, 'it', ...as)).toMatch(
      /^1 .*"it" is taken, by a stored value; .*--replace/u,
    );
    await hob(['store', 'it', '--text', 'other', '--replace', ...as]);
    await hob(['adopt', number, 'it', '--replace', ...as]);
    expect((await hob(['show', 'it', ...as])).out).toBe('7n\n');
  });

  it('is answered in its thread and dismissed', async () => {
    await hob(['send', 'bob', 'question']);
    const as = ['--as', 'profile-for-bob'];
    const number = (await inboxOf('profile-for-bob')).at(-1)?.number ?? '';
    expect((await hob(['reply', number, '- item', ...as])).out).toBe(
      `replied to #${number}\n`,
    );
    const answer = (await inboxOf()).at(-1);
    expect(answer).toMatchObject({ fromNames: ['bob'], strings: ['- item'] });
    expect(answer).toHaveProperty('replyTo');
    const { out } = await hob(['inbox']);
    expect(out).toContain(`#${answer?.number ?? '?'}  "bob" → you  re #`);
    expect(out).toContain('    - item\n');
    expect(await json('dismiss', answer?.number ?? '')).toEqual({
      dismissed: answer?.number,
    });
    expect((await inboxOf()).map(({ number: n }) => n)).not.toContain(
      answer?.number,
    );
  });

  it('answers in JSON when it is sent and replied', async () => {
    expect(await json('send', 'bob', 'see @counter')).toEqual({
      to: 'bob',
      strings: ['see '],
      edgeNames: ['counter'],
      petNames: ['counter'],
    });
    const number = (await inboxOf('profile-for-bob')).at(-1)?.number ?? '';
    expect(
      await json('reply', number, 'hm', '--as', 'profile-for-bob'),
    ).toMatchObject({ number, strings: ['hm'] });
  });

  it('cannot drive the terminal', async () => {
    const evil = '\u001b[2J\u202eevil\r#9  HOST';
    await hob(['send', 'SELF', evil]);
    const { out } = await hob(['inbox']);
    expect(out).toContain('\\u{1b}[2J\\u{202e}evil\\u{d}#9');
    expect(out).not.toContain('\u001b');
  });

  it('is followed until Ctrl-C, as one JSON document', async () => {
    await hob(['send', 'bob', 'last one']);
    const { code, out } = await hob(['inbox', '--follow', '--json'], {
      onText: (text, { ctrlC }) => {
        if (text.includes('last one')) ctrlC();
      },
    });
    expect(code).toBe(0);
    const messages = JSON.parse(out) as readonly Message[];
    expect(messages.at(-1)?.strings).toEqual(['last one']);
  });

  it('says what is wrong with what was typed', async () => {
    expect(await failure('send', 'nobody', 'hi')).toMatch(/^1 .*nobody/u);
    expect(await failure('send', 'bob')).toMatch(/^2 .*text/u);
    expect(await failure('send', 'bob', '@nothing')).toMatch(/^1 .*nothing/u);
    expect(await failure('send', 'bob', '--jsno')).toMatch(/^2 .*--jsno/u);
    expect(await failure('reply', '999', 'hi')).toMatch(/^1 .*999/u);
    expect(await failure('reply', 'x', 'hi')).toMatch(/^2 .*message number/u);
    expect(await failure('adopt', '999', 'it')).toMatch(/^1 .*999/u);
    expect(await failure('dismiss', '999')).toMatch(/^1 .*999/u);
  });
});

describe('--as', () => {
  it('acts as that agent', async () => {
    await hob(['store', 'own', '--text', 'x', '--as', 'profile-for-echo']);
    expect(await json('list', '--as', 'profile-for-echo')).toContain('own');
    expect(await json('list')).not.toContain('own');
  });

  it('says what is wrong with a name', async () => {
    expect(await failure('list', '--as', 'nobody')).toMatch(/^1 .*nobody/u);
    expect(await failure('list', '--as', 'echo')).toContain(
      'did you mean --as profile-for-echo?',
    );
  });
});

describe('run', () => {
  const script = fixture('show-powers.ts');

  it('hands the host and the arguments to main', async () => {
    const { code, out } = await hob(['run', '--UNCONFINED', script, 'a', 'b']);
    expect(code).toBe(0);
    expect(out).toContain('args: ["a", "b"]');
    expect(out).toContain('hasNames: true');
  });

  it('takes options after the script, as Endo does', async () => {
    const argv = ['run', '--UNCONFINED', script, '-E', 'HOB_TEST_VARIABLE=v1'];
    const { out } = await hob([...argv, '--powers', 'profile-for-echo']);
    expect(out).toContain('variable: "v1"');
    expect(out).toContain('hasNames: true');
  });

  it('says what is wrong with what was typed', async () => {
    expect(await failure('run', script)).toMatch(/^2 .*--UNCONFINED/u);
    const run = ['run', '--UNCONFINED'];
    expect(await failure(...run, 'no-such.ts')).toMatch(/^1 .*no-such\.ts/u);
    expect(await failure(...run, fixture('echo-agent.ts'))).toMatch(
      /^1 .*exports no function "main"/u,
    );
    expect(await failure(...run, script, '--powers', 'nobody')).toMatch(
      /^1 .*nobody/u,
    );
    expect(await failure(...run, script, '-E', 'NOT_SET_ANYWHERE')).toMatch(
      /^2 .*NOT_SET_ANYWHERE/u,
    );
    const secret = await failure(...run, script, '-E', 'a-b=hunter2');
    expect(secret).toMatch(/^2 /u);
    expect(secret).not.toContain('hunter2');
  });
});

describe('a command line', () => {
  it('that names no verb is answered with the verbs', async () => {
    expect(await failure('fly')).toMatch(/^2 .*fly.*--help/u);
    const { code, err } = await hob([]);
    expect(code).toBe(2);
    expect(err).toContain('Usage: hob');
  });

  it('shows the stack of an error only when asked', async () => {
    const { err } = await hob(['show', 'nothing', '--verbose']);
    expect(err).toMatch(/\n\s+at /u);
  });

  it('is helped in at most 80 columns', async () => {
    const verbs = commandGroups.flatMap(({ commands }) =>
      commands.map(({ spec }) => spec.name.split(' ')),
    );
    for (const verb of [[], ['agent'], ...verbs]) {
      const argv = [...verb, '--help'];
      const { code, out } = await hob(argv);
      expect(code).toBe(0);
      const widest = Math.max(...out.split('\n').map((line) => line.length));
      expect(widest).toBeLessThanOrEqual(80);
    }
  });
});

describe('with no daemon', () => {
  it.each([['ping'], ['list'], ['inbox'], ['send', 'hob', 'x'], ['talk', 'x']])(
    '%s says where it looked and how to start one',
    async (...argv) => {
      const nowhere = makeCli(join(statePath, 'nowhere'));
      const { code, err } = await nowhere(argv);
      expect(code).toBe(1);
      expect(err).toMatch(/no daemon at .*nowhere.*npm run -s hob -- start/u);
    },
  );

  it('status and stop answer the question', async () => {
    const nowhere = makeCli(join(statePath, 'nowhere'));
    expect(await nowhere(['status'])).toMatchObject({ code: 0 });
    expect((await nowhere(['stop'])).out).toContain('no daemon runs');
    expect((await nowhere(['log'])).code).toBe(1);
  });
});
