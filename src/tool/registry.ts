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
  /** Why a tool that was there is not on offer now, if that is known. */
  readonly whyNot: (name: string) => string | undefined;
};

/** What may be put beside the static tools while a turn runs. */
export type ToolSource = {
  readonly entries: () => readonly ToolEntry[];
  readonly whyNot?: (name: string) => string | undefined;
};

/** Of two entries with one name the first wins: so a static one always does. */
export const makeRegistry = (
  staticEntries: readonly ToolEntry[],
  sources: readonly ToolSource[] = [],
): Registry => {
  const byName = new Map(staticEntries.map((entry) => [entry.name, entry]));
  if (byName.size !== staticEntries.length) {
    throw Error('Two static tools have one name.');
  }
  const staticSchemas = harden(staticEntries.map(({ schema }) => schema));
  const others = () =>
    sources
      .flatMap(({ entries }) => entries())
      .filter(({ name }) => !byName.has(name));
  return harden({
    schemas: () =>
      harden([...staticSchemas, ...others().map(({ schema }) => schema)]),
    find: (name: string) =>
      byName.get(name) ?? others().find((entry) => entry.name === name),
    whyNot: (name: string) => {
      const source = sources.find(({ whyNot }) => whyNot?.(name));
      return source?.whyNot?.(name);
    },
  });
};
harden(makeRegistry);

/** A static tool with its powers, as the registry has it. */
export const makeStaticEntry = <Powers extends ToolPowers>(
  definition: ToolDefinition<Powers>,
  powers: Powers,
): ToolEntry => ({
  name: definition.name,
  schema: definition.schema,
  effect: definition.effect,
  tool: makeStaticTool(definition, powers),
  decode: definition.decode,
});
harden(makeStaticEntry);

/** The static tools of one turn, with that turn's powers, and what is beside them. */
export const makeToolSet = <Powers extends ToolPowers>(
  definitions: readonly ToolDefinition<Powers>[],
  powers: Powers,
  ...sources: readonly ToolSource[]
): Registry =>
  makeRegistry(
    definitions.map((definition) => makeStaticEntry(definition, powers)),
    sources,
  );
harden(makeToolSet);
