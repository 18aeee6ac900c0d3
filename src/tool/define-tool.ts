import { defineExoClass } from '@endo/exo';
import { M, mustMatch, type Pattern } from '@endo/patterns';

import type { ToolSchema } from '../model/chat.ts';
import { decodeArguments } from './decode-arguments.ts';
import { FaeToolI, type Effect, type FaeTool } from './fae-tool.ts';
import type { Parameter, ToolPowers } from './parameter-kinds.ts';

export type Parameters = { readonly [name: string]: Parameter<unknown> };

/** What `execute` is given: every parameter, decoded, guarded and admitted. */
export type Arguments<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer Value> ? Value : never;
};

export type ToolSpecification<
  P extends Parameters,
  Powers extends ToolPowers,
> = {
  readonly name: string;
  /** For the model: a few words. */
  readonly description: string;
  readonly parameters: P;
  readonly effect: Effect;
  readonly execute: (args: Arguments<P>, powers: Powers) => Promise<unknown>;
  /** For people; the description when there is none. */
  readonly help?: string;
};

type PlainArguments = { readonly [name: string]: unknown };

/** A tool without its powers. Made once, at import. */
export type ToolDefinition<Powers extends ToolPowers> = {
  readonly name: string;
  readonly effect: Effect;
  readonly help: string;
  readonly schema: ToolSchema;
  readonly parameters: Parameters;
  /** The guard of decoded arguments. */
  readonly shape: Pattern;
  /** From the model's record to decoded arguments. Throws what is wrong. */
  readonly decode: (given: PlainArguments) => PlainArguments;
  /** Runs on decoded, guarded arguments; admits the names first. */
  readonly run: (args: PlainArguments, powers: Powers) => Promise<unknown>;
};

const namesWhere = (
  parameters: Parameters,
  needed: boolean,
): readonly string[] =>
  Object.keys(parameters).filter((name) => parameters[name]?.needed === needed);

const pick = <T>(
  parameters: Parameters,
  names: readonly string[],
  of: (parameter: Parameter<unknown>) => T,
): { readonly [name: string]: T } =>
  Object.fromEntries(
    Object.entries(parameters)
      .filter(([name]) => names.includes(name))
      .map(([name, parameter]) => [name, of(parameter)]),
  );

const schemaOf = (
  name: string,
  description: string,
  parameters: Parameters,
): ToolSchema => {
  const required = namesWhere(parameters, true);
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters: {
        type: 'object',
        properties: pick(
          parameters,
          Object.keys(parameters),
          ({ schema }) => schema,
        ),
        ...(required.length > 0 ? { required } : {}),
      },
    },
  };
};

const shapeOf = (parameters: Parameters): Pattern =>
  M.splitRecord(
    harden(
      pick(parameters, namesWhere(parameters, true), ({ shape }) => shape),
    ),
    harden(
      pick(parameters, namesWhere(parameters, false), ({ shape }) => shape),
    ),
    harden({}),
  );

/** A step at a time, so that of several refused names the first is reported. */
const finishArguments = async (
  parameters: Parameters,
  args: PlainArguments,
  powers: ToolPowers,
): Promise<PlainArguments> => {
  const finished: { [name: string]: unknown } = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    finished[name] = await parameter.finish(args[name], powers);
  }
  return harden(finished);
};

/**
 * A tool from one source: its parameters give the guard, the JSON schema and
 * the type of `args`.
 */
export const defineTool = <
  const P extends Parameters,
  Powers extends ToolPowers,
>(
  specification: ToolSpecification<P, Powers>,
): ToolDefinition<Powers> => {
  const { name, description, parameters, effect, help } = specification;
  return harden({
    name,
    effect,
    help: help ?? description,
    schema: schemaOf(name, description, parameters),
    parameters,
    shape: shapeOf(parameters),
    decode: (given: PlainArguments) => decodeArguments(name, parameters, given),
    run: async (args: PlainArguments, powers: Powers) =>
      specification.execute(
        (await finishArguments(parameters, args, powers)) as Arguments<P>,
        powers,
      ),
  });
};
harden(defineTool);

type Bound = {
  readonly definition: Omit<ToolDefinition<ToolPowers>, 'run'>;
  readonly run: (args: PlainArguments) => Promise<unknown>;
};

// One class for all of them: an instance costs microseconds, a `makeExo` nearly
// a millisecond, and every turn has a set of its own.
const makeBoundTool = defineExoClass(
  'FaeTool',
  FaeToolI,
  (bound: Bound) => ({ bound }),
  {
    schema() {
      return this.state.bound.definition.schema;
    },
    async execute(args: PlainArguments) {
      const { definition, run } = this.state.bound;
      mustMatch(harden(args), definition.shape, definition.name);
      return harden(await run(args));
    },
    help() {
      return this.state.bound.definition.help;
    },
  },
);

/** Gives a tool its powers: a local exo that guards its arguments. */
export const makeStaticTool = <Powers extends ToolPowers>(
  definition: ToolDefinition<Powers>,
  powers: Powers,
): FaeTool =>
  makeBoundTool({
    definition,
    run: (args) => definition.run(args, powers),
  });
harden(makeStaticTool);
