import { Far } from '@endo/far';
import { describe, expect, it } from 'vitest';

import { callTool } from './call-tool.ts';
import { makeFakeTurnPowers } from './fake-turn-powers.ts';

describe('store', () => {
  it('decodes SmallCaps, and keeps prose and plain JSON as they are', async () => {
    const fake = makeFakeTurnPowers();
    for (const [name, value] of [
      ['big', '+5'],
      ['list', '- item'],
      ['title', '# Title'],
      ['both', { amount: '+5', none: '#undefined' }],
      ['null', null],
    ] as const) {
      const outcome = await callTool(fake.powers, 'store', {
        petName: name,
        value,
      });
      expect(outcome).toMatchObject({
        ok: true,
        content: `Stored as "${name}".`,
      });
    }
    expect(Object.fromEntries(fake.values)).toEqual({
      big: 5n,
      list: '- item',
      title: '# Title',
      both: { amount: 5n, none: undefined },
      null: null,
    });
  });

  it('refuses to give a name another value, unless told so', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1);
    const refused = await callTool(fake.powers, 'store', {
      petName: 'a',
      value: 2,
    });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.content).toContain('"replace": true');
    expect(fake.changes).toEqual([]);

    const args = { petName: 'a', value: 2, replace: true };
    expect((await callTool(fake.powers, 'store', args)).ok).toBe(true);
    expect(fake.values.get('a')).toBe(2);
  });

  it('is content when the name has that value already', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], harden({ x: [1n] }));
    const outcome = await callTool(fake.powers, 'store', {
      petName: 'a',
      value: { x: ['+1'] },
    });
    expect(outcome).toMatchObject({
      ok: true,
      content: '"a" already has this value.',
    });
    expect(fake.changes).toEqual([]);
  });

  it('never takes an object for the same as data', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], Far('Counter', {}));
    const outcome = await callTool(fake.powers, 'store', {
      petName: 'a',
      value: {},
    });
    expect(outcome.isError).toBe(true);
  });
});

describe.each(['move', 'copy'])('%s', (tool) => {
  it('gives the value its new name', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1);
    const args = { fromPath: 'a', toPath: ['d', 'b'] };
    expect((await callTool(fake.powers, tool, args)).ok).toBe(true);
    expect(fake.values.get('d/b')).toBe(1);
    expect(fake.values.has('a')).toBe(tool === 'copy');
  });

  it('refuses a name that is taken, unless told to replace', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1);
    fake.bind(['b'], 2);
    const args = { fromPath: 'a', toPath: 'b' };
    expect((await callTool(fake.powers, tool, args)).content).toContain(
      '"b" already names something else',
    );
    expect(fake.changes).toEqual([]);
    expect(
      (await callTool(fake.powers, tool, { ...args, replace: true })).ok,
    ).toBe(true);
    expect(fake.values.get('b')).toBe(1);
  });

  it('refuses what is not there', async () => {
    const fake = makeFakeTurnPowers();
    const args = { fromPath: 'a', toPath: 'b', replace: true };
    expect((await callTool(fake.powers, tool, args)).content).toContain(
      'Nothing is named "a"',
    );
    expect(fake.changes).toEqual([]);
  });

  it('does not lose a value that goes to where it is', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1);
    const args = { fromPath: 'a', toPath: 'a', replace: true };
    expect((await callTool(fake.powers, tool, args)).ok).toBe(true);
    expect(fake.values.get('a')).toBe(1);
  });
});

describe('copy', () => {
  it('is content when the name has that value already', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1, 'one');
    fake.bind(['b'], 1, 'one');
    const outcome = await callTool(fake.powers, 'copy', {
      fromPath: 'a',
      toPath: 'b',
    });
    expect(outcome).toMatchObject({ ok: true });
    expect(fake.changes).toEqual([]);
  });
});

describe('makeDirectory', () => {
  it('makes one, and leaves one that is there alone', async () => {
    const fake = makeFakeTurnPowers();
    const args = { petNamePath: 'tools' };
    expect((await callTool(fake.powers, 'makeDirectory', args)).ok).toBe(true);
    expect(
      (await callTool(fake.powers, 'makeDirectory', args)).content,
    ).toContain('is there already');
    expect(fake.changes).toEqual(['makeDirectory tools']);
  });

  it('never replaces, and cannot be told to', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['tools'], 1);
    for (const extra of [{}, { replace: true }]) {
      const args = { petNamePath: 'tools', ...extra };
      expect((await callTool(fake.powers, 'makeDirectory', args)).isError).toBe(
        true,
      );
    }
    expect(fake.changes).toEqual([]);
  });
});

describe('remove', () => {
  it('takes a name away, and says when there is none', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1);
    expect(
      (await callTool(fake.powers, 'remove', { petName: 'a' })).content,
    ).toBe('Removed "a".');
    expect(
      (await callTool(fake.powers, 'remove', { petName: 'a' })).content,
    ).toContain('Nothing is named "a"');
    expect(fake.changes).toEqual(['remove a']);
  });
});

describe('list, has and lookup', () => {
  it('leave out what is hidden, at the top and in directories', async () => {
    const fake = makeFakeTurnPowers();
    await callTool(fake.powers, 'makeDirectory', { petNamePath: 'd' });
    for (const path of [
      ['a'],
      ['AGENT'],
      ['hob-lease'],
      ['d', 'b'],
      ['d', 'hob-x'],
    ]) {
      fake.bind(path, 1);
    }
    for (const args of [{}, { petNamePath: [] }, { petNamePath: '' }]) {
      expect((await callTool(fake.powers, 'list', args)).content).toBe(
        '["d", "a"]',
      );
    }
    expect(
      (await callTool(fake.powers, 'list', { petNamePath: 'd' })).content,
    ).toBe('["b"]');
  });

  it('show what a name is for', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], harden({ amount: 5n, of: Far('Coin', {}) }));
    fake.bind(['note'], '- "as it is"');
    const show = async (petNameOrPath: string) =>
      (await callTool(fake.powers, 'lookup', { petNameOrPath })).content;
    expect(await show('a')).toBe('{ amount: 5n, of: <Coin> }');
    expect(await show('note')).toBe('- "as it is"');
    expect(
      (await callTool(fake.powers, 'lookup', { petName: 'x' })).isError,
    ).toBe(true);
    expect((await callTool(fake.powers, 'has', { path: 'a' })).content).toBe(
      'true',
    );
    expect((await callTool(fake.powers, 'has', { name: 'x' })).content).toBe(
      'false',
    );
  });
});
