import type { ToolSchema } from '../model/chat.ts';
import { makeStaticTool, type ToolDefinition } from './define-tool.ts';
import type { Effect, FaeTool } from './fae-tool.ts';
import type { ToolPowers } from './parameter-kinds.ts';

export type ToolEntry = {
  /** The function name that the model sees. */
  readonly name: string;
  readonly schema: ToolSchema;
  readonly effect: Effect;
  /** A local exo or a far reference: to be called through `E()` only. */
  readonly tool: FaeTool;
  /** From the model's record to the arguments of `execute`. Throws. */
  readonly decode: (given: { readonly [name: string]: unknown }) => {
    readonly [name: string]: unknown;
  };
};

/** The tools of a turn, by the name that the model sees (seed defect 7). */
export type Registry = {
  /** In an order that stays the same: static, then adopted as they came. */
  readonly schemas: () => readonly ToolSchema[];
  readonly find: (name: string) => ToolEntry | undefined;
};

/** What may be put beside the static tools while a turn runs. */
export type ToolSource = {
  readonly entries: () => readonly ToolEntry[];
};

const NOTHING_ADOPTED: ToolSource = harden({ entries: () => harden([]) });

/** A static name always wins over an adopted one. */
export const makeRegistry = (
  staticEntries: readonly ToolEntry[],
  adopted: ToolSource = NOTHING_ADOPTED,
): Registry => {
  const byName = new Map(staticEntries.map((entry) => [entry.name, entry]));
  if (byName.size !== staticEntries.length) {
    throw Error('Two static tools have one name.');
  }
  const staticSchemas = harden(staticEntries.map(({ schema }) => schema));
  const others = () =>
    adopted.entries().filter(({ name }) => !byName.has(name));
  return harden({
    schemas: () =>
      harden([...staticSchemas, ...others().map(({ schema }) => schema)]),
    find: (name: string) =>
      byName.get(name) ?? others().find((entry) => entry.name === name),
  });
};
harden(makeRegistry);

/** The static tools of one turn, with that turn's powers. */
export const makeToolSet = <Powers extends ToolPowers>(
  definitions: readonly ToolDefinition<Powers>[],
  powers: Powers,
  adopted?: ToolSource,
): Registry =>
  makeRegistry(
    definitions.map((definition) => ({
      name: definition.name,
      schema: definition.schema,
      effect: definition.effect,
      tool: makeStaticTool(definition, powers),
      decode: definition.decode,
    })),
    adopted,
  );
harden(makeToolSet);
