import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startCli } from './running.ts';

let cli: Awaited<ReturnType<typeof startCli>>;

beforeAll(async () => {
  cli = await startCli();
});

afterAll(() => cli.stop());

describe('mkdir', () => {
  it('makes directories in directories', async () => {
    expect(await cli.said('mkdir', 'notes')).toBe('made the directory notes\n');
    expect(await cli.json('mkdir', 'notes/old')).toEqual({
      directory: 'notes/old',
    });
    expect(await cli.json('list', 'notes')).toEqual(['old']);
  });

  it('never replaces what is there', async () => {
    await cli.said('mkdir', 'full');
    await cli.said('store', 'full/value', '--text', 'x');
    expect(await cli.failure('mkdir', 'full')).toMatch(
      /^1 .*"full" is there already: a directory/u,
    );
    expect(await cli.failure('mkdir', 'full/value')).toMatch(
      /^1 .*a stored value/u,
    );
    expect(await cli.json('list', 'full')).toEqual(['value']);
  });

  it('says what is wrong with a path', async () => {
    expect(await cli.failure('mkdir', 'no/where')).toMatch(/^1 .*"no"/u);
    expect(await cli.failure('mkdir', 'a//b')).toMatch(/^2 .*not a path/u);
    expect(await cli.failure('mkdir')).toMatch(/^2 /u);
  });
});

describe('move and copy', () => {
  it('say what they did', async () => {
    await cli.said('mkdir', 'shelf');
    await cli.said('store', 'tea', '--text', 'green');
    expect(await cli.said('copy', 'tea', 'shelf/tea')).toBe(
      'shelf/tea now names what tea does\n',
    );
    expect(await cli.said('move', 'tea', 'drink')).toBe('moved tea to drink\n');
    expect(await cli.said('show', 'drink')).toBe('green\n');
    expect(await cli.said('show', 'shelf/tea')).toBe('green\n');
    expect(await cli.json('list')).not.toContain('tea');
  });

  it.each(['move', 'copy'])(
    '%s replaces a value only when told to',
    async (verb) => {
      await cli.said('store', 'new', '--text', 'new', '--replace');
      await cli.said('store', 'kept', '--text', 'kept', '--replace');
      expect(await cli.failure(verb, 'new', 'kept')).toMatch(
        /^1 .*"kept" is taken, by a stored value; .*--replace/u,
      );
      expect(await cli.said('show', 'kept')).toBe('kept\n');
      expect(await cli.said(verb, 'new', 'kept', '--replace')).toContain(
        'in the place of a stored value',
      );
      expect(await cli.said('show', 'kept')).toBe('new\n');
      await cli.said('store', 'other', '--text', 'o', '--replace');
      expect(await cli.json(verb, 'other', 'kept', '--replace')).toEqual({
        from: 'other',
        to: 'kept',
        replaced: true,
      });
    },
  );

  it('say what is wrong with what was typed', async () => {
    expect(await cli.failure('move', 'nothing', 'x')).toMatch(
      /^1 .*"nothing" names nothing/u,
    );
    expect(await cli.failure('copy', 'drink', 'drink')).toMatch(
      /^2 .*the same/u,
    );
    expect(await cli.failure('move', 'drink')).toMatch(/^2 /u);
    expect(await cli.failure('move', 'HOST', 'boss')).toMatch(/^1 .*HOST/u);
  });
});

describe('store', () => {
  it('replaces a value only when told to', async () => {
    await cli.said('store', 'list', '--text', 'old');
    expect(await cli.failure('store', 'list', '--text', 'new')).toMatch(
      /^1 .*"list" is taken, by a stored value; .*--replace/u,
    );
    expect(await cli.said('show', 'list')).toBe('old\n');
    await cli.said('store', 'list', '--text', 'new', '--replace');
    expect(await cli.said('show', 'list')).toBe('new\n');
  });
});

describe('locate', () => {
  it('shows the locator and the kind', async () => {
    await cli.said('store', 'limit', '--bigint', '3');
    const [locator = '', kind] = (await cli.said('locate', 'limit')).split(
      '\n',
    );
    expect(locator).toMatch(/^endo:\/\/[0-9a-f]{64}\//u);
    expect(kind).toBe('a stored value (marshal)');
    expect(await cli.json('locate', 'limit')).toEqual({
      path: 'limit',
      locator,
      kind: 'marshal',
    });
    expect(await cli.said('locate', 'SELF')).toContain(
      'the address of an agent (handle)',
    );
    expect(await cli.failure('locate', 'nothing')).toMatch(/^1 .*nothing/u);
  });
});

describe('the inbox', () => {
  const numbers = async (...argv: string[]): Promise<readonly string[]> =>
    ((await cli.json('inbox', ...argv)) as { readonly number: string }[]).map(
      ({ number }) => number,
    );

  beforeAll(async () => {
    await cli.said('mkguest', 'ann');
    for (const text of ['one', 'two', 'three']) {
      await cli.said('send', 'HOST', text, '--as', 'profile-for-ann');
    }
  });

  it('shows the newest only, and what they answer', async () => {
    const all = await numbers();
    expect(await numbers('--last', '2')).toEqual(all.slice(-2));
    expect(await numbers('--last', '0')).toEqual([]);
    expect(await numbers('--last', '99')).toEqual(all);
    await cli.said('reply', all[0] ?? '', 'yes');
    const shown = await cli.said('inbox', '--last', '1');
    expect(shown).toContain(`re #${all[0] ?? '?'}`);
    expect(shown).not.toContain('three');
    expect(await cli.failure('inbox', '--last', 'x')).toMatch(/^2 .*--last x/u);
  });

  it('is followed from the newest on', async () => {
    await cli.said('send', 'ann', 'last');
    const { out } = await cli.hob(['inbox', '--follow', '--last', '1'], {
      onText: (text, { ctrlC }) => {
        if (text.includes('last')) ctrlC();
      },
    });
    expect(out).toContain('    last\n');
    expect(out).not.toContain('three');
  });

  it('is emptied of what has been decided', async () => {
    const as = ['--as', 'profile-for-ann'];
    await cli.said('eval', '2 + 2', '--no-wait', ...as);
    const [proposal = '?'] = await numbers('--last', '1');
    await cli.said('reject', proposal, 'no');
    expect(await cli.json('dismiss', '--all')).toMatchObject({ kept: [] });
    expect(await numbers()).toEqual([]);
  });

  it('is emptied but for what has to be decided', async () => {
    const asked = cli.hob([
      'eval',
      '1 + 1',
      '--as',
      'profile-for-ann',
      '--no-wait',
    ]);
    expect(await asked).toMatchObject({ code: 0 });
    const [proposal = '?'] = (await numbers()).slice(-1);
    const said = await cli.said('dismiss', '--all');
    expect(said).toMatch(
      new RegExp(`^dismissed \\d+ messages; kept #${proposal}, undecided`, 'u'),
    );
    expect(await numbers()).toEqual([proposal]);
    expect(await cli.said('dismiss', proposal)).toContain('counts as rejected');
    expect(await cli.json('dismiss', '--all')).toEqual({
      dismissed: [],
      kept: [],
    });
    expect(await cli.failure('dismiss')).toMatch(/^2 .*--all/u);
    expect(await cli.failure('dismiss', '1', '--all')).toMatch(/^2 .*--all/u);
  });
});
