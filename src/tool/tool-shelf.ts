import { makeFunctionName } from './function-name.ts';
import type { ToolEntry } from './registry.ts';
import type { ToolRecord } from './tool-records.ts';

/** With the static tools, no more than providers take: 128. */
const MOST_TOOLS = 100;

type Withheld = { readonly id: string; readonly reason: string };

/** What is known of the tools in `tools/`, in memory. */
export type ToolShelf = {
  /** Those on offer, in the order of adoption. */
  readonly entries: () => readonly ToolEntry[];
  /** Why a function that was adopted is not on offer. */
  readonly whyWithheld: (functionName: string) => string | undefined;
  /** Of what is offered or withheld under this name. */
  readonly idOf: (petName: string) => string | undefined;
  readonly recordOf: (petName: string) => ToolRecord | undefined;
  readonly petNames: () => readonly string[];
  /** Keeps the place of a recorded tool, until it is offered. */
  readonly reserve: (record: ToolRecord) => void;
  /** Offers a tool, instead of what had its pet name. */
  readonly offer: (record: ToolRecord) => void;
  /** Offers it no more, and keeps its record. */
  readonly withhold: (petName: string, id: string, reason: string) => void;
  readonly remove: (petName: string) => void;
  /** A function name for this tool that no other has: the wanted one if it can be. */
  readonly nameFor: (petName: string, wanted: string) => string;
  readonly nextOrder: () => number;
  /** Throws when there are too many tools for one more. */
  readonly assertRoom: (petName: string) => void;
};

export const makeToolShelf = (
  makeEntry: (record: ToolRecord) => ToolEntry,
  /** Function names of the static tools. */
  staticNames: readonly string[],
): ToolShelf => {
  const records = new Map<string, ToolRecord>();
  const offered = new Map<string, ToolEntry>();
  const withheld = new Map<string, Withheld>();
  let entries: readonly ToolEntry[] | undefined;

  const inOrder = (): readonly ToolRecord[] =>
    [...records.values()].sort((a, b) => a.order - b.order);

  const takeOff = (petName: string): void => {
    offered.delete(petName);
    withheld.delete(petName);
    entries = undefined;
  };

  return harden({
    entries: () => {
      entries ??= harden(
        inOrder().flatMap(({ petName }) => offered.get(petName) ?? []),
      );
      return entries;
    },
    whyWithheld: (functionName: string) => {
      const found = inOrder().find(
        (record) => record.functionName === functionName,
      );
      return found && withheld.get(found.petName)?.reason;
    },
    idOf: (petName: string) =>
      withheld.get(petName)?.id ??
      (offered.has(petName) ? records.get(petName)?.id : undefined),
    recordOf: (petName: string) => records.get(petName),
    petNames: () => [...new Set([...records.keys(), ...withheld.keys()])],
    reserve: (record: ToolRecord) => {
      records.set(record.petName, record);
    },
    offer: (record: ToolRecord) => {
      takeOff(record.petName);
      records.set(record.petName, record);
      offered.set(record.petName, makeEntry(record));
    },
    withhold: (petName: string, id: string, reason: string) => {
      takeOff(petName);
      withheld.set(petName, { id, reason });
    },
    remove: (petName: string) => {
      takeOff(petName);
      records.delete(petName);
    },
    nameFor: (petName: string, wanted: string) => {
      const others = [...records.values()]
        .filter((record) => record.petName !== petName)
        .map(({ functionName }) => functionName);
      return makeFunctionName(wanted, [...staticNames, ...others]);
    },
    nextOrder: () => (inOrder().at(-1)?.order ?? 0) + 1,
    assertRoom: (petName: string) => {
      if (records.has(petName) || records.size < MOST_TOOLS) return;
      throw Error(
        `There are ${MOST_TOOLS} adopted tools already. Remove one from tools/ first`,
      );
    },
  });
};
harden(makeToolShelf);
