import type { Directory, NamePath } from '../endo/guest.ts';
import { type AdoptedSchema, isSameSchema } from './adopted-schema.ts';
import { type KeyedQueue, makeKeyedQueue } from './keyed-queue.ts';
import { askForSchema } from './tool-probe.ts';
import {
  LONGEST_TOOL_NAME,
  makeToolRecords,
  type ToolRecord,
} from './tool-records.ts';
import type { ToolShelf } from './tool-shelf.ts';
import { TOOLS } from './tools-folder.ts';
import type { TimePowers } from './within.ts';

export type ToolKeeperPowers = {
  readonly guest: Directory;
  readonly shelf: ToolShelf;
  /** One after the other for one pet name. */
  readonly inTurn: KeyedQueue;
  /** For a tool to give its schema. */
  readonly time: TimePowers;
  readonly onTrouble: (during: string, cause: unknown) => void;
};

/** Where a tool is, and who it came from if that is known. */
export type FoundTool = {
  readonly petName: string;
  readonly id: string;
  readonly from: string | undefined;
};

/** Keeps shelf and records in line with what is in `tools/`. */
export type ToolKeeper = {
  /** Reads the records among these names; resolves to their pet names. */
  readonly load: (names: readonly string[]) => Promise<readonly string[]>;
  /** Records a tool with a checked schema and offers it. */
  readonly install: (
    found: FoundTool,
    schema: AdoptedSchema,
  ) => Promise<ToolRecord>;
  /**
   * Looks what has this name now, and offers it, withholds it or forgets it.
   * `hint` is an id that it was said to have: nothing is asked when that is
   * known. Contract: never rejects.
   */
  readonly reconcile: (
    petName: string,
    news?: { readonly hint?: string | undefined; readonly from?: string },
  ) => Promise<void>;
};

export const CHANGED =
  'it presents another schema than the one that was adopted; adopt it again if your HOST wants that';
harden(CHANGED);

export const toolPath = (petName: string): NamePath =>
  harden([...TOOLS, petName]);
harden(toolPath);

/** Rejects names for which no record can be kept. */
export const assertToolName = (petName: string): void => {
  if (petName.length <= LONGEST_TOOL_NAME) return;
  throw Error(
    `The name of a tool has at most ${LONGEST_TOOL_NAME} characters, and this has ${petName.length}`,
  );
};
harden(assertToolName);

export const makeToolKeeper = (powers: ToolKeeperPowers): ToolKeeper => {
  const { guest, shelf, inTurn, time, onTrouble } = powers;
  const records = makeToolRecords(guest);
  // One at a time, since each takes a function name that no other may have.
  const oneByOne = makeKeyedQueue();

  const install = (
    { petName, id, from }: FoundTool,
    schema: AdoptedSchema,
  ): Promise<ToolRecord> =>
    oneByOne('', async () => {
      const before = shelf.recordOf(petName);
      const same = before && isSameSchema(before.schema, schema);
      const wanted = same ? before.functionName : schema.name;
      const record: ToolRecord = harden({
        petName,
        id,
        functionName: shelf.nameFor(petName, wanted),
        order: same ? before.order : shelf.nextOrder(),
        ...(from === undefined ? {} : { from }),
        schema,
      });
      shelf.assertRoom(petName);
      await records.put(record);
      shelf.offer(record);
      return record;
    });

  const takeUp = async ({ petName, id, from }: FoundTool): Promise<void> => {
    const before = shelf.recordOf(petName);
    try {
      assertToolName(petName);
      const schema = await askForSchema(guest.lookup(toolPath(petName)), time);
      if (before !== undefined && !isSameSchema(before.schema, schema)) {
        throw Error(CHANGED);
      }
      // Who sent what had this name before did not send this.
      await install({ petName, id, from }, schema);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      shelf.withhold(petName, id, reason);
      onTrouble(`taking up tools/${petName}`, error);
    }
  };

  const offerRecorded = (record: ToolRecord): void => {
    const { petName, functionName: wanted } = record;
    const functionName = shelf.nameFor(petName, wanted);
    // It may have been taken by a static tool since.
    shelf.offer(harden({ ...record, functionName }));
  };

  const forget = async (petName: string): Promise<void> => {
    const isRecorded = shelf.recordOf(petName) !== undefined;
    shelf.remove(petName);
    if (isRecorded) await records.remove(petName);
  };

  const look = async (
    petName: string,
    hint: string | undefined,
    from: string | undefined,
  ): Promise<void> => {
    const present = shelf.idOf(petName);
    if (hint !== undefined && hint === present) return;
    const record = shelf.recordOf(petName);
    const isAsRecorded = present === undefined && record?.id === hint;
    const id =
      hint !== undefined && isAsRecorded
        ? hint
        : await guest.identify(toolPath(petName));
    if (id === undefined) await forget(petName);
    else if (id === present) return;
    else if (id === record?.id) offerRecorded(record);
    else await takeUp({ petName, id, from });
  };

  return harden({
    load: async (names: readonly string[]) => {
      const loaded = await records.load(names);
      loaded.forEach(shelf.reserve);
      return loaded.map(({ petName }) => petName);
    },
    install: (found: FoundTool, schema: AdoptedSchema) =>
      install(found, schema),
    reconcile: (petName, { hint, from } = {}) =>
      inTurn(petName, () => look(petName, hint, from)).catch(
        (cause: unknown) => {
          onTrouble(`looking at tools/${petName}`, cause);
        },
      ),
  });
};
harden(makeToolKeeper);
