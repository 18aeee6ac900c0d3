import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCli } from './in-process.ts';

const fixture = (name: string): string =>
  join(import.meta.dirname, 'fixtures', name);

let statePath = '';
let hob: ReturnType<typeof makeCli>;

beforeAll(async () => {
  statePath = await mkdtemp(join(tmpdir(), 'hob-'));
  hob = makeCli(statePath);
  await hob(['start']);
  const make = ['run', '--UNCONFINED', fixture('make-echo.ts')];
  await hob([...make, 'echo']);
  // Its controller has a name that talk does not look for.
  await hob([...make, 'far', 'elsewhere']);
});

afterAll(async () => {
  await hob(['stop']);
  await rm(statePath, { recursive: true });
});

describe('talk, with a pipe', () => {
  it('answers each line before it sends the next, and ends well', async () => {
    const lines = ['one', '', 'two three', '- four'];
    expect(await hob(['talk', 'echo'], { lines })).toEqual({
      code: 0,
      out: 'echo: one\nworking on it\nthree\necho: - four\n',
      err: '',
    });
  });

  it('answers the last message of the agent, and begins anew on /new', async () => {
    await hob(['talk', 'echo'], {
      lines: ['first', 'second', '/new', 'third'],
    });
    const { out } = await hob(['inbox', '--json']);
    const messages = JSON.parse(out) as readonly {
      readonly messageId: string;
      readonly replyTo?: string;
      readonly strings: readonly string[];
    }[];
    const find = (text: string) =>
      messages.findLast(({ strings }) => strings[0] === text);
    expect(find('second')?.replyTo).toBe(find('echo: first')?.messageId);
    expect(find('first')?.replyTo).toBeUndefined();
    expect(find('third')?.replyTo).toBeUndefined();
  });

  it('prints what the agent sends outside of the thread meanwhile', async () => {
    const { out } = await hob(['talk', 'echo'], { lines: ['new by the way'] });
    expect(out).toBe('by the way\n');
  });

  it('continues another message', async () => {
    const { out } = await hob(['inbox', '--json']);
    const [first] = (
      JSON.parse(out) as readonly { number: string; fromNames: string[] }[]
    ).filter(({ fromNames }) => fromNames.includes('echo'));
    const lines = [`/to ${first?.number ?? ''}`, 'and more'];
    const ran = await hob(['talk', 'echo'], { lines });
    expect(ran).toMatchObject({ code: 0, out: 'echo: and more\n' });
    expect(ran.err).toContain(`the next line answers #${first?.number ?? ''}`);
  });

  it('says when the agent had nothing to say', async () => {
    const ran = await hob(['talk', 'echo'], { lines: ['silent', 'then'] });
    expect(ran).toMatchObject({ code: 0, out: 'echo: then\n' });
    expect(ran.err).toContain('had nothing to say');
  });

  it('ends with an error when a turn has failed', async () => {
    const lines = ['fail', 'go on'];
    expect(await hob(['talk', 'echo'], { lines })).toMatchObject({
      code: 1,
      out: 'the model cannot be reached\necho: go on\n',
    });
  });

  it('says how to keep the values that came along', async () => {
    const { out, err } = await hob(['talk', 'echo'], { lines: ['gift'] });
    expect(out).toBe('here is @answer for you\n');
    expect(err).toMatch(/adopt \d+ answer/u);
  });

  it('prints a decision that is needed, sends no more, and exits with 3', async () => {
    const lines = ['ask the key', 'not sent'];
    const { code, out, err } = await hob(['talk', 'echo'], { lines });
    expect(code).toBe(3);
    expect(out).toMatch(
      /echo needs a decision \(#\d+\):\n {2}asks for: the key\n/u,
    );
    expect(out).not.toContain('not sent');
    expect(err).toContain('a decision is needed on #');
  });

  it('is not ended by a decision of an earlier talk', async () => {
    const ran = await hob(['talk', 'echo'], { lines: ['hello'] });
    expect(ran).toMatchObject({ code: 0, out: 'echo: hello\n' });
  });

  it('takes the first answer of an agent that has no controller here', async () => {
    const lines = ['one', 'ask it'];
    const { code, out } = await hob(['talk', 'far'], { lines });
    expect(code).toBe(3);
    expect(out).toContain('echo: one\n');
  });

  it('is one JSON document when asked', async () => {
    const { out } = await hob(['talk', 'echo', '--json'], {
      lines: ['a', 'b'],
    });
    expect(JSON.parse(out)).toMatchObject([
      { type: 'package', strings: ['echo: a'] },
      { type: 'package', strings: ['echo: b'] },
    ]);
  });

  it('stops a turn at Ctrl-C and goes on', async () => {
    const ran = await hob(['talk', 'echo'], {
      lines: ['hang', 'after'],
      onText: (text, { ctrlC }) => {
        if (text === '… thinking' && !stopped) {
          stopped = true;
          ctrlC();
        }
      },
    });
    expect(ran).toMatchObject({ code: 0, out: 'echo: after\n' });
    expect(ran.err).toContain('stopping the turn');
  });
  let stopped = false;

  it('says who is not there, and what is no command', async () => {
    const ran = await hob(['talk', 'nobody'], { lines: ['x'] });
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('nobody here is called "nobody"');
    const slip = await hob(['talk', 'echo'], { lines: ['/nwe'] });
    expect(slip.code).toBe(2);
    expect(slip.err).toContain('/nwe is not a command');
    const number = await hob(['talk', 'echo'], { lines: ['/to 99999'] });
    expect(number.code).toBe(1);
    expect(number.err).toContain('#99999');
  });

  it('sends text that begins with a slash', async () => {
    const { out } = await hob(['talk', 'echo'], { lines: ['//etc'] });
    expect(out).toBe('echo: /etc\n');
  });
});

describe('talk, at a terminal', () => {
  it('greets, answers, and leaves on /quit', async () => {
    const ran = await hob(['talk', 'echo'], {
      isTTY: true,
      lines: ['hello', '/help', '/nwe', '/inbox', '/quit'],
    });
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/echo> #\d+\n {2}echo: hello\n/u);
    expect(ran.out).toContain('"echo" → you');
    expect(ran.err).toContain('talking with "echo"');
    expect(ran.err).toContain('Ctrl-C stops a running turn');
    expect(ran.err).toContain('/nwe is not a command');
  });

  it('goes on when a line could not be sent', async () => {
    const ran = await hob(['talk', 'echo'], {
      isTTY: true,
      lines: ['hello', 'x'.repeat(20_000_000), '/new', 'again', '/quit'],
    });
    expect(ran.code).toBe(0);
    expect(ran.err).toMatch(/limit|more than|too/u);
    expect(ran.out).toContain('echo: again');
  });

  it('leaves on Ctrl-C when nothing runs', async () => {
    const ran = await hob(['talk', 'echo'], {
      isTTY: true,
      lines: [],
      onText: (text, { ctrlC }) => {
        if (text.includes('talking with')) queueMicrotask(ctrlC);
      },
    });
    expect(ran.code).toBe(0);
  });

  it('goes on after a decision that is needed', async () => {
    const ran = await hob(['talk', 'echo'], {
      isTTY: true,
      lines: ['ask the moon', 'and?', '/quit'],
    });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('asks for: the moon');
    expect(ran.out).toContain('echo: and?');
  });
});
