import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, startCli } from './running.ts';

let cli: Awaited<ReturnType<typeof startCli>>;

const counter = fixture('counter.ts');

beforeAll(async () => {
  cli = await startCli();
});

afterAll(() => cli.stop());

describe('make', () => {
  const make = ['make', '--UNCONFINED', counter] as const;

  it('makes a caplet under a name', async () => {
    expect(await cli.said(...make, '--name', 'counter')).toBe(
      'made [Counter], named counter\n',
    );
    expect(await cli.said('show', 'counter')).toContain('  next()\n');
    expect(await cli.said('locate', 'counter')).toContain('a caplet');
  });

  it('takes a name only when told to', async () => {
    await cli.said('store', 'mine', '--text', 'x');
    expect(await cli.failure(...make, '--name', 'mine')).toMatch(
      /^1 .*"mine" is taken/u,
    );
    expect(await cli.json(...make, '-n', 'mine', '--replace')).toMatchObject({
      made: { remotable: 'Counter' },
      name: 'mine',
    });
  });

  it('gives it no powers but those that are named', async () => {
    await cli.said(...make, '-n', 'bare');
    await cli.said('mkguest', 'owner', 'owner-agent');
    await cli.said(...make, '-n', 'able', '--powers', 'owner-agent');
    expect(await cli.said('eval', 'E(c).powers()', 'c:bare')).toBe('[]\n');
    expect(await cli.said('eval', 'E(c).powers()', 'c:able')).toContain(
      '"HOST"',
    );
    expect(await cli.failure(...make, '--powers', 'nobody')).toMatch(
      /^1 .*nobody/u,
    );
  });

  it('runs it in a worker of that name', async () => {
    await cli.said(...make, '-n', 'apart', '--worker', 'shed');
    expect(await cli.said('locate', 'shed')).toContain('a worker');
  });

  it('gives it variables, and shows the value of none', async () => {
    const { code, out, err } = await cli.hob(
      [...make, '-n', 'keeper', '-E', 'SECRET', '-E', 'PLAIN=hunter3=x'],
      { env: { SECRET: 'hunter2' } },
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toContain('hunter');
    const ask = (name: string): Promise<string> =>
      cli.said('eval', `E(k).variable('${name}')`, 'k:keeper');
    expect(await ask('SECRET')).toBe('hunter2\n');
    expect(await ask('PLAIN')).toBe('hunter3=x\n');
    const failed = await cli.hob([...make, '-E', 'a-b=hunter2']);
    expect(failed.code).toBe(2);
    expect(failed.err).not.toContain('hunter2');
    expect(await cli.failure(...make, '-E', 'NOT_SET')).toMatch(
      /^2 .*NOT_SET/u,
    );
  });

  it('says what is wrong with what was typed', async () => {
    expect(await cli.failure('make', counter)).toMatch(/^2 .*--UNCONFINED/u);
    expect(await cli.failure('make', '--UNCONFINED', 'no-such.js')).toMatch(
      /^1 .*no-such\.js: there is no such file/u,
    );
    expect(
      await cli.failure('make', '--UNCONFINED', fixture('make-guest.ts')),
    ).toMatch(/^1 .*make/u);
    expect(await cli.failure(...make, '--as', 'owner-agent')).toMatch(
      /^1 .*is a guest/u,
    );
  });

  it('can be cancelled, and is made anew', async () => {
    await cli.said(...make, '-n', 'mortal');
    const next = (): Promise<string> =>
      cli.said('eval', 'E(c).next()', 'c:mortal');
    expect([await next(), await next()]).toEqual(['1n\n', '2n\n']);
    expect(await cli.said('cancel', 'mortal', 'it', 'hangs')).toContain(
      'cancelled mortal',
    );
    expect(await next()).toBe('1n\n');
    expect(await cli.json('cancel', 'mortal')).toMatchObject({
      cancelled: 'mortal',
    });
    expect(await cli.failure('cancel', 'nothing')).toMatch(/^1 .*nothing/u);
    expect(await cli.failure('cancel', 'owner')).toMatch(/^1 .*mail/u);
  });
});

describe('mkguest and mkhost', () => {
  it('make a guest that knows what it is introduced to', async () => {
    await cli.said('store', 'tally', '--bigint', '4');
    expect(await cli.said('mkguest', 'bob', '--introduce', 'tally:count')).toBe(
      'made the guest bob; act as it with --as profile-for-bob\nit knows your tally as count\n',
    );
    expect(await cli.said('show', 'count', '--as', 'profile-for-bob')).toBe(
      '4n\n',
    );
    expect(await cli.json('mkguest', 'carl', 'carl-self')).toEqual({
      kind: 'guest',
      name: 'carl',
      agentName: 'carl-self',
      introducedNames: {},
      new: true,
    });
  });

  it('leave a guest that is there, and what it has', async () => {
    await cli.said('mkguest', 'dora', '--introduce', 'tally');
    expect(await cli.said('mkguest', 'dora')).toContain('a guest already');
    await cli.said('store', 'other', '--text', 'x');
    expect(
      await cli.failure('mkguest', 'dora', '--introduce', 'other:tally'),
    ).toMatch(/^1 .*has that name already/u);
    expect(await cli.said('show', 'tally', '--as', 'profile-for-dora')).toBe(
      '4n\n',
    );
  });

  it('make a host that runs code', async () => {
    expect(await cli.said('mkhost', 'work')).toBe(
      'made the host work; act as it with --as profile-for-work\n',
    );
    expect(await cli.said('eval', '2 + 3', '--as', 'profile-for-work')).toBe(
      '5\n',
    );
  });

  it('say what is wrong with what was typed', async () => {
    expect(await cli.failure('mkguest', 'tally')).toMatch(/^1 .*tally/u);
    expect(await cli.failure('mkguest', 'a/b')).toMatch(/^2 .*no path/u);
    expect(await cli.failure('mkguest', 'e', '--introduce', 'a:b:c')).toMatch(
      /^2 .*host-name:guest-name/u,
    );
    expect(await cli.failure('mkguest', 'e', '--introduce', 'none:x')).toMatch(
      /^1 .*none/u,
    );
    expect(await cli.json('list')).not.toContain('e');
  });
});

describe('eval', () => {
  it('runs code of a host with its values, and names the result', async () => {
    await cli.said('store', 'price', '--bigint', '7');
    await cli.said('mkdir', 'shop');
    await cli.said('store', 'shop/tea', '--bigint', '3');
    const source = 'price * tea';
    const argv = ['eval', source, 'price', 'tea:shop/tea', '--name', 'sum'];
    expect(await cli.said(...argv)).toBe('21n\n');
    expect(await cli.said('show', 'sum')).toBe('21n\n');
    expect(await cli.failure(...argv)).toMatch(/^1 .*"sum" is taken/u);
    expect(await cli.json(...argv, '--replace')).toBe('21');
    expect(await cli.said('eval', '-1')).toBe('-1\n');
  });

  it('tells an error of the code, and what was typed wrong', async () => {
    expect(await cli.failure('eval', 'throw Error("no tea")')).toMatch(/^1 /u);
    expect(
      await cli.failure('eval', '(() => { throw Error("no tea"); })()'),
    ).toMatch(/^1 .*no tea/u);
    expect(await cli.failure('eval', 'x', 'x:nothing')).toMatch(
      /^1 .*nothing/u,
    );
    expect(await cli.failure('eval', 'x', 'x:a:b')).toMatch(
      /^2 .*codeName:petName/u,
    );
    expect(await cli.failure('eval', '1', '--no-wait')).toMatch(/^2 .*guest/u);
  });
});

describe('eval of a guest', () => {
  const as = ['--as', 'profile-for-eve'] as const;

  beforeAll(async () => {
    await cli.said('mkguest', 'eve');
  });

  /** Runs `decide` with the number of the host's copy, once it was proposed. */
  const proposed = async (
    source: string,
    decide: (number: string) => Promise<unknown>,
  ) => {
    const decisions: Promise<unknown>[] = [];
    const ran = await cli.hob(['eval', source, ...as], {
      onText: (text) => {
        if (!text.includes('proposed to the HOST')) return;
        decisions.push(newestNumber().then(decide));
      },
    });
    await Promise.all(decisions);
    return { ...ran, decisions: decisions.length };
  };

  const newestNumber = async (): Promise<string> => {
    const [message] = (await cli.json('inbox', '--last', '1')) as {
      readonly number: string;
      readonly type: string;
    }[];
    expect(message?.type).toBe('eval-proposal-reviewer');
    return message?.number ?? '?';
  };

  it('waits for the grant and prints the result', async () => {
    const { code, out, err } = await proposed('20 + 1', (number) =>
      cli.said('grant', number),
    );
    expect(err).toMatch(/^proposed to the HOST, as #\d+ of your mail; /u);
    expect({ code, out }).toEqual({ code: 0, out: '21\n' });
  });

  it('tells a rejection, with its reason', async () => {
    const { code, out, err } = await proposed('20 + 2', (number) =>
      cli.said('reject', number, 'not today'),
    );
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/hob: the proposal #\d+: .*not today/u);
  });

  it('tells at once what cannot be proposed', async () => {
    expect(await cli.failure('eval', 'x', 'x:nothing', ...as)).toMatch(
      /^1 .*nothing/u,
    );
  });

  it('does not wait when told not to', async () => {
    const answer = await cli.json('eval', '3', '--no-wait', ...as);
    expect(answer).toHaveProperty('proposed');
    expect(answer).toHaveProperty('messageId');
    await newestNumber();
  });

  it('stops waiting at Ctrl-C: a decision is needed', async () => {
    const { code, out } = await cli.hob(['eval', '4', ...as], {
      onText: (text, { ctrlC }) => {
        if (text.includes('proposed to the HOST')) ctrlC();
      },
    });
    expect(code).toBe(3);
    expect(out).toMatch(/^#\d+ is not decided yet\n$/u);
  });
});
