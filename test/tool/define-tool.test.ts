import { makeExo } from '@endo/exo';
import { E } from '@endo/far';
import { describe, expect, expectTypeOf, it } from 'vitest';

import type { AdmittedPath } from '../../src/endo/name-gate.ts';
import { defineTool, makeStaticTool } from '../../src/tool/define-tool.ts';
import { FaeToolI } from '../../src/tool/fae-tool.ts';
import {
  edgeName,
  edgeNameList,
  flag,
  messageNumber,
  name,
  nameList,
  optional,
  passable,
  text,
  textList,
  type ToolPowers,
} from '../../src/tool/parameter-kinds.ts';

type Seen = { args: unknown[]; admitted: unknown[] };

const makePowers = (): ToolPowers & { readonly seen: Seen } => {
  const seen: Seen = { args: [], admitted: [] };
  return {
    seen,
    names: {
      admit: (path) => {
        seen.admitted.push(path);
        return String(path).startsWith('AGENT')
          ? Promise.reject(Error('AGENT is closed'))
          : Promise.resolve(path as AdmittedPath);
      },
    },
  };
};

const everyKind = defineTool({
  name: 'everyKind',
  description: 'One of each.',
  effect: 'read',
  parameters: {
    aText: text('A text'),
    aList: textList(),
    aFlag: optional(flag(), false),
    aNumber: messageNumber('', { aliases: ['number'] }),
    aName: name(),
    someNames: optional(nameList(), []),
    anEdge: optional(edgeName()),
    someEdges: optional(edgeNameList(), []),
    aValue: optional(passable()),
    maybeName: optional(name()),
  },
  execute: (args, powers: ReturnType<typeof makePowers>) => {
    expectTypeOf(args.aText).toEqualTypeOf<string>();
    expectTypeOf(args.aList).toEqualTypeOf<readonly string[]>();
    expectTypeOf(args.aFlag).toEqualTypeOf<boolean>();
    expectTypeOf(args.aNumber).toEqualTypeOf<bigint>();
    expectTypeOf(args.aName).toEqualTypeOf<AdmittedPath>();
    expectTypeOf(args.someNames).toEqualTypeOf<readonly AdmittedPath[]>();
    expectTypeOf(args.anEdge).toEqualTypeOf<string | undefined>();
    expectTypeOf(args.aValue).toEqualTypeOf<unknown>();
    expectTypeOf(args.maybeName).toEqualTypeOf<AdmittedPath | undefined>();
    powers.seen.args.push(args);
    return Promise.resolve('done');
  },
});

const needed = {
  aText: '- x',
  aList: ['# y'],
  aNumber: 5n,
  aName: ['a', 'b'],
};

describe('a defined tool', () => {
  it('has a schema that follows from its parameters', () => {
    expect(everyKind.schema).toEqual({
      type: 'function',
      function: {
        name: 'everyKind',
        description: 'One of each.',
        parameters: {
          type: 'object',
          properties: {
            aText: { type: 'string', description: 'A text' },
            aList: { type: 'array', items: { type: 'string' } },
            aFlag: { type: 'boolean' },
            aNumber: { type: 'integer' },
            aName: { type: 'string' },
            someNames: { type: 'array', items: { type: 'string' } },
            anEdge: { type: 'string' },
            someEdges: { type: 'array', items: { type: 'string' } },
            aValue: {},
            maybeName: { type: 'string' },
          },
          required: ['aText', 'aList', 'aNumber', 'aName'],
        },
      },
    });
  });

  it('runs on guarded arguments, with what was left out filled in', async () => {
    const powers = makePowers();
    const tool = makeStaticTool(everyKind, powers);
    expect(await E(tool).execute(harden(needed))).toBe('done');
    expect(powers.seen.args).toEqual([
      {
        ...needed,
        aFlag: false,
        someNames: [],
        anEdge: undefined,
        someEdges: [],
        aValue: undefined,
        maybeName: undefined,
      },
    ]);
    expect(await E(tool).schema()).toEqual(everyKind.schema);
    expect(await E(tool).help()).toBe('One of each.');
  });

  it('puts every name through the gate before it runs', async () => {
    const powers = makePowers();
    const tool = makeStaticTool(everyKind, powers);
    const args = {
      ...needed,
      someNames: [['c'], ['d', 'e']],
      maybeName: ['f'],
    };
    await E(tool).execute(harden(args));
    expect(powers.seen.admitted).toEqual([
      ['a', 'b'],
      ['c'],
      ['d', 'e'],
      ['f'],
    ]);

    for (const bad of [
      { aName: ['AGENT'] },
      { someNames: [['c'], ['AGENT', 'x']] },
      { maybeName: ['AGENT'] },
    ]) {
      await expect(
        E(tool).execute(harden({ ...needed, ...bad })),
      ).rejects.toThrow('AGENT is closed');
    }
    expect(powers.seen.args).toHaveLength(1);
  });

  it.each([
    ['a text', { aText: 5 }],
    ['a list of texts', { aList: 'x' }],
    ['a number', { aNumber: 5 }],
    ['a negative number', { aNumber: -5n }],
    ['a name', { aName: 'a' }],
    ['a flag', { aFlag: 'true' }],
    ['names', { someNames: ['a'] }],
    ['an edge name', { anEdge: ['a'] }],
    ['edge names', { someEdges: 'a' }],
    ['a missing one', { aText: undefined }],
    ['an unknown one', { surplus: 1 }],
  ])(
    'has a guard that refuses what was not decoded: %s',
    async (_what, bad) => {
      const powers = makePowers();
      const tool = makeStaticTool(everyKind, powers);
      await expect(
        E(tool).execute(harden({ ...needed, ...bad })),
      ).rejects.toThrow();
      expect(powers.seen.args).toEqual([]);
      expect(powers.seen.admitted).toEqual([]);
    },
  );

  it('takes texts and lists beyond the default limits of guards', async () => {
    const powers = makePowers();
    const tool = makeStaticTool(everyKind, powers);
    const aText = 'x'.repeat(200_000);
    await E(tool).execute(harden({ ...needed, aText, aList: [aText] }));
    expect(powers.seen.args).toHaveLength(1);
  });
});

describe('arguments as a model writes them', () => {
  const decode = (extra: { readonly [name: string]: unknown }) =>
    everyKind.decode({
      aText: '+1',
      aList: '-5',
      aNumber: '+5',
      aName: 'a/b',
      ...extra,
    });

  it('are decoded as each parameter directs', () => {
    expect(
      decode({
        someNames: ['c', ['d']],
        anEdge: '@e',
        someEdges: '["f"]',
        aValue: '+7',
        aFlag: 'true',
      }),
    ).toEqual({
      aText: '+1',
      aList: ['-5'],
      aNumber: 5n,
      aName: ['a', 'b'],
      someNames: [['c'], ['d']],
      anEdge: 'e',
      someEdges: ['f'],
      aValue: 7n,
      aFlag: true,
    });
  });

  it('may leave out what is optional, by null or an empty name too', () => {
    expect(decode({ aFlag: null, maybeName: '', anEdge: undefined })).toEqual(
      decode({}),
    );
    expect(decode({ maybeName: [] })).toEqual(decode({}));
  });

  it('are refused with every parameter named, what was given and what is wanted', () => {
    expect(() =>
      everyKind.decode({ aText: 5, aNumber: 'abc', aName: '', surplus: 1 }),
    ).toThrow(
      'everyKind did not run: there is no parameter "surplus" (known: aText, aList, aFlag, aNumber, aName, someNames, anEdge, someEdges, aValue, maybeName); "aText" takes a text, and was given 5; "aList" is missing; it takes a list of texts; "aNumber" takes the whole number of a message, such as 5, and was given "abc"; "aName" is missing; it takes a pet name such as "a", or a path such as "a/b".',
    );
  });

  it('show of a long value only its beginning', () => {
    let message = '';
    try {
      decode({ aNumber: 'x'.repeat(100_000) });
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message.length).toBeLessThan(400);
    expect(message).toContain('"xxx');
  });

  it('may be spelt otherwise, but only once', () => {
    const { aNumber, ...others } = { ...needed };
    expect(aNumber).toBe(5n);
    expect(everyKind.decode({ ...others, number: 6 })).toMatchObject({
      aNumber: 6n,
    });
    expect(() => decode({ number: 6 })).toThrow(
      '"aNumber" is given twice, once as "number"',
    );
  });

  it('cannot pose as what every object has', () => {
    for (const surplus of ['constructor', 'toString', 'hasOwnProperty']) {
      expect(() => decode({ [surplus]: 'x' })).toThrow('there is no parameter');
    }
  });
});

describe('a set of tools for a turn', () => {
  it('costs a small part of an exo made for each tool', () => {
    const powers = makePowers();
    const timeOf = (make: () => unknown): number => {
      make();
      const start = performance.now();
      for (let round = 0; round < 100; round += 1) make();
      return performance.now() - start;
    };
    const methods = { schema: () => ({}), execute: () => 1, help: () => '' };
    const ofClass = timeOf(() => makeStaticTool(everyKind, powers));
    const ofExo = timeOf(() => makeExo('FaeTool', FaeToolI, { ...methods }));
    expect(ofClass / ofExo).toBeLessThan(0.5);
  });
});
