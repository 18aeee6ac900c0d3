import { describe, expect, it } from 'vitest';

import { callTool } from './call-tool.ts';
import { makeFakeTurnPowers } from './fake-turn-powers.ts';

const makeFake = () => {
  const fake = makeFakeTurnPowers();
  fake.bind(['counter'], 1);
  return fake;
};

describe('evaluate', () => {
  it('proposes the source with its purpose on top, and returns at once', async () => {
    const fake = makeFake();
    const { content } = await callTool(fake.powers, 'evaluate', {
      source: 'counter + 1',
      codeNames: ['counter'],
      petNames: ['counter'],
      resultName: 'next',
      purpose: 'count',
    });
    expect(content).toBe(
      '{ status: "pending", proposal: 12n, resultName: "next" }',
    );
    expect(fake.proposals).toEqual([
      {
        source: '// purpose: count\ncounter + 1',
        codeNames: ['counter'],
        petNames: [['counter']],
        resultName: ['next'],
      },
    ]);
  });

  it.each(['edgeNames', 'petNamePaths'])(
    'takes %s for petNames, as other models call them',
    async (spelling) => {
      const fake = makeFake();
      await callTool(fake.powers, 'evaluate', {
        source: 'c',
        codeNames: ['c'],
        [spelling]: ['counter'],
      });
      expect(fake.proposals[0]?.petNames).toEqual([['counter']]);
    },
  );

  it.each([
    [
      'two names and one value',
      { codeNames: ['a', 'b'], petNames: ['counter'] },
      'do not pair up',
    ],
    ['a value without a name', { petNames: ['counter'] }, 'do not pair up'],
    [
      'a name that is no identifier',
      { codeNames: ['a-b'], petNames: ['counter'] },
      '"a-b"',
    ],
    [
      'a name given twice',
      { codeNames: ['a', 'a'], petNames: ['counter', 'counter'] },
      'twice',
    ],
    ['an empty source', { source: ' \n' }, 'empty'],
    [
      'a result name that is taken',
      { resultName: 'counter' },
      'already names something',
    ],
    ['a result name that is promised', { resultName: 'soon' }, 'promised'],
  ])('proposes nothing with %s', async (_what, args, said) => {
    const fake = makeFake();
    fake.promised.add('soon');
    const { content, isError } = await callTool(fake.powers, 'evaluate', {
      source: '1',
      ...args,
    });
    expect(isError).toBe(true);
    expect(content).toContain(said);
    expect(fake.proposals).toEqual([]);
  });

  it('gives a taken name to the result when told to replace', async () => {
    const fake = makeFake();
    const { isError } = await callTool(fake.powers, 'evaluate', {
      source: '1',
      resultName: 'counter',
      replace: true,
    });
    expect(isError).toBe(false);
  });
});

describe('request', () => {
  it('asks under the name that is given, and returns at once', async () => {
    const fake = makeFake();
    const { content } = await callTool(fake.powers, 'request', {
      recipientName: 'HOST',
      description: 'a pen',
      responseName: 'pen',
    });
    expect(content).toBe(
      '{ status: "pending", request: 13n, responseName: "pen" }',
    );
    expect(fake.changes).toEqual(['request HOST pen a pen']);
  });

  it('asks nobody when the name is taken, unless told to replace', async () => {
    const fake = makeFake();
    const args = {
      recipientName: 'HOST',
      description: 'a pen',
      responseName: 'counter',
    };
    const refused = await callTool(fake.powers, 'request', args);
    expect(refused.content).toContain('already names something');
    expect(fake.changes).toEqual([]);
    await callTool(fake.powers, 'request', { ...args, replace: true });
    expect(fake.changes).toEqual(['request HOST counter a pen']);
  });

  it('chooses a free name when none is given', async () => {
    const fake = makeFake();
    fake.bind(['answer-1'], 1);
    fake.promised.add('answer-2');
    await callTool(fake.powers, 'request', {
      recipientName: 'HOST',
      description: 'a pen',
    });
    expect(fake.changes).toEqual(['request HOST answer-3 a pen']);
  });
});

it('resolve answers with a name that is there, and with no other', async () => {
  const fake = makeFake();
  const missing = { messageNumber: 4, petName: 'nothing' };
  const refused = await callTool(fake.powers, 'resolve', missing);
  expect(refused.content).toContain('Nothing is named "nothing"');
  const named = { messageNumber: 4, petName: 'counter' };
  const { content } = await callTool(fake.powers, 'resolve', named);
  expect(content).toBe('Answered request #4 with "counter".');
  expect(fake.changes).toEqual(['resolve 4 counter']);
});

it('reject gives the reason, and a word when there is none', async () => {
  const fake = makeFake();
  await callTool(fake.powers, 'reject', { messageNumber: 4, reason: 'not me' });
  await callTool(fake.powers, 'reject', { messageNumber: '5' });
  expect(fake.changes).toEqual(['reject 4 not me', 'reject 5 Declined']);
});
