import { matches } from '@endo/patterns';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';

import {
  hostToolDefinitions,
  strangerToolDefinitions,
} from '../../src/guest-tools/tool-sets.ts';
import { callTool } from './call-tool.ts';
import { makeFakeTurnPowers } from './fake-turn-powers.ts';

/** A well-formed argument as the model writes it, by the wording of its kind. */
const sample = (wanted: string): unknown => {
  const samples = new Map<string, unknown>([
    ['a text', 'x'],
    ['a list of texts', ['x']],
    ['true or false', true],
    ['the whole number of a message, such as 5', 5],
    ['the name of a value in a message', 'edge'],
    ['a list of names for the values in a message', ['edge']],
    ['a JSON or SmallCaps value', { a: 1 }],
    ['a pet name such as "a", or a path such as "a/b"', 'a/b'],
    ['a list of pet names or paths', ['a/b']],
  ]);
  if (!samples.has(wanted)) throw Error(`No sample for ${wanted}`);
  return samples.get(wanted);
};

describe('the static tools', () => {
  it('are twenty-one for the HOST, four for anyone else', () => {
    expect(hostToolDefinitions.map(({ name }) => name)).toEqual([
      ...['help', 'has', 'list', 'lookup', 'store', 'remove', 'move', 'copy'],
      ...['makeDirectory', 'listMessages', 'send', 'reply', 'adopt'],
      ...['adoptTool', 'dismiss', 'request', 'resolve', 'reject', 'evaluate'],
      ...['identify', 'inspectCapability'],
    ]);
    expect(strangerToolDefinitions.map(({ name }) => name).sort()).toEqual([
      ...['adopt', 'help', 'listMessages', 'reply'],
    ]);
  });

  it('cost at most 1,350 tokens, all schemas together', () => {
    const schemas = hostToolDefinitions.map(({ schema }) => schema);
    expect(encode(JSON.stringify(schemas)).length).toBeLessThanOrEqual(1350);
  });

  it.each([
    ['help', 'read'],
    ['has', 'read'],
    ['list', 'read'],
    ['lookup', 'read'],
    ['store', 'idempotent'],
    ['remove', 'once'],
    ['move', 'once'],
    ['copy', 'idempotent'],
    ['makeDirectory', 'idempotent'],
    ['listMessages', 'read'],
    ['send', 'once'],
    ['reply', 'once'],
    ['adopt', 'idempotent'],
    ['adoptTool', 'idempotent'],
    ['request', 'once'],
    ['resolve', 'once'],
    ['reject', 'once'],
    ['evaluate', 'once'],
    ['dismiss', 'idempotent'],
    ['identify', 'read'],
    ['inspectCapability', 'read'],
  ])('%s has the effect %s', (name, effect) => {
    const definition = hostToolDefinitions.find((each) => each.name === name);
    expect(definition?.effect).toBe(effect);
  });

  it.each([
    ['help', ['methodName']],
    ['has', ['petNamePath']],
    ['list', ['petNamePath']],
    ['lookup', ['petNameOrPath']],
    ['store', ['petName', 'value', 'replace']],
    ['remove', ['petNamePath']],
    ['move', ['fromPath', 'toPath', 'replace']],
    ['copy', ['fromPath', 'toPath', 'replace']],
    ['makeDirectory', ['petNamePath']],
    ['listMessages', []],
    ['send', ['recipientName', 'strings', 'edgeNames', 'petNames']],
    ['reply', ['messageNumber', 'strings', 'edgeNames', 'petNames']],
    ['adopt', ['messageNumber', 'edgeName', 'petName', 'replace']],
    ['dismiss', ['messageNumber']],
    ['identify', ['petNamePath']],
    ['inspectCapability', ['petNameOrPath']],
  ])('%s takes %j', (name, parameters) => {
    const definition = hostToolDefinitions.find((each) => each.name === name);
    expect(Object.keys(definition?.parameters ?? {})).toEqual(parameters);
  });
});

const without = (
  record: { readonly [name: string]: unknown },
  name: string,
): { readonly [name: string]: unknown } =>
  harden(
    Object.fromEntries(Object.entries(record).filter(([key]) => key !== name)),
  );

const tools = hostToolDefinitions.map((definition) => {
  const entries = Object.entries(definition.parameters);
  const needed = entries.filter(([, parameter]) => parameter.needed);
  const samples = (some: typeof entries) =>
    Object.fromEntries(some.map(([key, { wanted }]) => [key, sample(wanted)]));
  return {
    tool: definition.name,
    definition,
    names: entries.map(([key]) => key),
    neededNames: needed.map(([key]) => key),
    full: samples(entries),
    least: samples(needed),
  };
});

const parameters = tools.flatMap((each) =>
  each.names.map((parameter) => ({
    ...each,
    parameter,
    wanted: each.definition.parameters[parameter]?.wanted ?? '',
  })),
);

describe.each(tools)(
  '$tool',
  ({ definition, names, neededNames, full, least }) => {
    it('has a schema, a guard and parameters that agree', () => {
      const { parameters: schema } = definition.schema.function;
      expect(Object.keys(schema['properties'] as object)).toEqual(names);
      expect(schema['required'] ?? []).toEqual(neededNames);

      const fits = (args: unknown) => matches(args as never, definition.shape);
      const decoded = definition.decode(least);
      expect(fits(definition.decode(full))).toBe(true);
      expect(fits(decoded)).toBe(true);
      expect(fits(harden({ ...decoded, surplus: 1 }))).toBe(false);
      for (const name of neededNames) {
        expect(fits(without(decoded, name)), name).toBe(false);
      }
    });

    it('refuses a parameter that it does not have', () => {
      expect(() => definition.decode({ ...full, surplus: 1 })).toThrow(
        'there is no parameter "surplus"',
      );
    });
  },
);

describe('a parameter', () => {
  it.each(
    parameters.filter((each) => each.neededNames.includes(each.parameter)),
  )(
    '$parameter of $tool is named when it is missing',
    ({ definition, parameter, least }) => {
      expect(() => definition.decode(without(least, parameter))).toThrow(
        `"${parameter}" is missing`,
      );
    },
  );

  it.each(parameters.filter(({ parameter }) => parameter !== 'value'))(
    '$parameter of $tool is named when it has the wrong type',
    ({ definition, parameter, wanted, full }) => {
      expect(() =>
        definition.decode({ ...full, [parameter]: { wrong: 1 } }),
      ).toThrow(`"${parameter}" takes ${wanted}, and was given { wrong: 1 }`);
    },
  );

  it.each(parameters.filter(({ wanted }) => wanted.includes('pet name')))(
    '$parameter of $tool goes through the gate before anything is touched',
    async ({ tool, parameter, full }) => {
      for (const bad of ['AGENT', 'AGENT/x', 'a/hob-lease', '["AGENT"]']) {
        const fake = makeFakeTurnPowers();
        const args = { ...full, [parameter]: bad };
        const outcome = await callTool(fake.powers, tool, args);
        expect(outcome.isError, bad).toBe(true);
        expect(outcome.content).toContain('is closed to you');
        expect(fake.changes).toEqual([]);
        expect(fake.sent).toEqual([]);
      }
    },
  );
});
