import { describe, expect, it } from 'vitest';

import type { PackageMail } from '../../src/endo/guest.ts';
import type { Candidate } from '../../src/tool/adopted-tools.ts';
import { callTool } from './call-tool.ts';
import { makeFakeTurnPowers } from './fake-turn-powers.ts';

const mail: PackageMail = {
  type: 'package',
  number: 5n,
  messageId: 'a'.repeat(64),
  from: 'id-host',
  to: 'id-self',
  date: '2026-01-01T00:00:00.000Z',
  strings: ['Take ', ' and ', ''],
  names: ['Greeter', 'other'],
  ids: ['id-greeter', 'id-other'],
};

const makeBench = () => {
  const { powers, changes } = makeFakeTurnPowers([mail]);
  const candidates: Candidate[] = [];
  const call = (args: { readonly [name: string]: unknown }) =>
    callTool(
      {
        ...powers,
        toolbox: {
          adopt: async (candidate) => {
            candidates.push(candidate);
            await candidate.bind();
            return {
              petName: candidate.petName,
              id: candidate.id,
              functionName: 'greet-2',
              order: 1,
              schema: {
                name: 'greet',
                description: 'Says hello.',
                parameters: {},
              },
            };
          },
        },
      },
      'adoptTool',
      args,
    );
  return { call, candidates, changes };
};

describe('adoptTool', () => {
  it('puts the value of the message into tools/, and says what it is', async () => {
    const { call, candidates, changes } = makeBench();
    const { content, effect } = await call({
      messageNumber: '5',
      edgeName: '@Greeter',
      toolName: 'greet-tool',
    });
    expect(content).toBe(
      'Adopted @Greeter of message #5 as "tools/greet-tool". Its function is greet-2 (it calls itself "greet"); in its own words: "Says hello.". You can call it from your next step on.',
    );
    expect(effect).toBe('idempotent');
    expect(candidates).toMatchObject([
      {
        id: 'id-greeter',
        petName: 'greet-tool',
        from: 'HOST',
        replace: false,
      },
    ]);
    expect(changes).toEqual(['adopt 5 Greeter tools/greet-tool false']);
  });

  it.each([
    [{ number: 5, edge: 'other', petName: 'a' }, 'a'],
    [{ messageNumber: 5, edgeName: 'other', name: 'tools/b' }, 'b'],
    [{ messageNumber: 5, edgeName: 'Greeter' }, 'greeter'],
    [{ messageNumber: 5, edgeName: 'other', toolName: '' }, 'other'],
  ])('takes %j for the tool %s', async (args, petName) => {
    const { call, candidates } = makeBench();
    expect((await call(args)).ok).toBe(true);
    expect(candidates[0]?.petName).toBe(petName);
  });

  it.each([
    [{ messageNumber: 6, edgeName: 'other' }, 'no message #6'],
    [{ messageNumber: 5, edgeName: 'x' }, 'It carries @Greeter, @other'],
    [{ messageNumber: 5, edgeName: 'other', toolName: 'a/b' }, 'plain name'],
    [{ messageNumber: 5, edgeName: 'other', toolName: 'hob-x' }, 'closed'],
    [{ messageNumber: 5 }, '"edgeName" is missing'],
  ])('given %j, says what is wrong and does nothing', async (args, words) => {
    const { call, candidates } = makeBench();
    const { ok, content } = await call(args);
    expect(ok).toBe(false);
    expect(content).toContain(words);
    expect(candidates).toEqual([]);
  });
});
