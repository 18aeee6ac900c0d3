import { makeExo } from '@endo/exo';
import { M } from '@endo/patterns';

const HostileI = M.interface('Tool', {
  schema: M.call().returns(M.any()),
  execute: M.callWhen(M.any()).returns(M.any()),
  help: M.call().returns(M.string()),
});

export const schemaOf = (
  name: string,
  more: { readonly [key: string]: unknown } = {},
) => ({
  type: 'function',
  function: {
    name,
    description: `The tool ${name}.`,
    parameters: { type: 'object', properties: { say: { type: 'string' } } },
    ...more,
  },
});

export type FakeTool = {
  readonly tool: object;
  /** How often each method was called. */
  readonly calls: { schema: number; execute: number };
  /** What the tool does; a test changes it. */
  behaviour: {
    schema: () => unknown;
    execute: (args: unknown) => unknown;
  };
};

/** A tool that does what it is told, well or badly. */
export const makeFakeTool = (
  name: string,
  behaviour: Partial<FakeTool['behaviour']> = {},
): FakeTool => {
  const fake: Omit<FakeTool, 'tool'> = {
    calls: { schema: 0, execute: 0 },
    behaviour: {
      schema: () => schemaOf(name),
      execute: (args) => ({ ran: name, args }),
      ...behaviour,
    },
  };
  const tool = makeExo('Tool', HostileI, {
    schema: () => {
      fake.calls.schema += 1;
      return harden(fake.behaviour.schema());
    },
    execute: async (args: unknown) => {
      fake.calls.execute += 1;
      return harden(await fake.behaviour.execute(args));
    },
    help: () => `Help of ${name}.`,
  });
  return Object.assign(fake, { tool });
};

/** An object that is no tool. */
export const makeNoTool = (): object =>
  makeExo(
    'Counter',
    M.interface('Counter', { next: M.call().returns(M.nat()) }),
    {
      next: () => 1n,
    },
  );

/** An object that tells a schema, and can do nothing. */
export const makeHalfTool = (): object =>
  makeExo('Half', M.interface('Half', { schema: M.call().returns(M.any()) }), {
    schema: () => harden(schemaOf('half')),
  });
