import { Far } from '@endo/far';
import { describe, expect, it } from 'vitest';

import { callTool } from './call-tool.ts';
import { makeFakeTurnPowers } from './fake-turn-powers.ts';

describe('identify', () => {
  it('gives the id of a name, and refuses what names nothing or is closed', async () => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], 1, 'the-id');
    fake.bind(['AGENT'], 1, 'agent-id');
    const identify = (petNamePath: unknown) =>
      callTool(fake.powers, 'identify', { petNamePath });
    expect((await identify('a')).content).toBe('the-id');
    expect((await identify('b')).content).toContain('Nothing is named "b"');
    const closed = await identify(['AGENT']);
    expect(closed.isError).toBe(true);
    expect(closed.content).not.toContain('agent-id');
  });
});

describe('inspectCapability', () => {
  const inspect = async (value: unknown) => {
    const fake = makeFakeTurnPowers();
    fake.bind(['a'], harden(value));
    return (await callTool(fake.powers, 'inspectCapability', { petName: 'a' }))
      .content;
  };

  it('gives the help of an object', async () => {
    expect(await inspect(Far('Counter', { help: () => 'I count.' }))).toBe(
      'I count.',
    );
  });

  it('lists the methods of one without help', async () => {
    const content = await inspect(Far('Counter', { increment: () => 1 }));
    expect(content).toContain('It has no help');
    expect(content).toMatch(/Its methods: .*increment/u);
  });

  it('says what data is', async () => {
    expect(await inspect({ a: 5n })).toBe(
      'It is data, not an object: { a: 5n }',
    );
  });

  it('shows no more than fits of a long help', async () => {
    const content = await inspect(
      Far('Talker', { help: () => 'x'.repeat(100_000) }),
    );
    expect(content.length).toBeLessThanOrEqual(32 * 1024);
  });
});

describe('help', () => {
  it('is on one method or on all', async () => {
    const { powers } = makeFakeTurnPowers();
    expect(
      (await callTool(powers, 'help', { methodName: 'send' })).content,
    ).toBe('help on send');
    for (const args of [{}, { methodName: '' }, { methodName: null }]) {
      expect((await callTool(powers, 'help', args)).content).toBe('all help');
    }
  });
});
