import type { Guest, NameChange, NamePath } from '../endo/guest.ts';
import { isSameSchema } from './adopted-schema.ts';
import { makeAdoptedEntry, type ToolAccess } from './adopted-tool.ts';
import type { FaeTool } from './fae-tool.ts';
import { moveIntroduced } from './introduced-tools.ts';
import { makeKeyedQueue } from './keyed-queue.ts';
import type { ToolSource } from './registry.ts';
import {
  assertToolName,
  CHANGED,
  makeToolKeeper,
  toolPath,
} from './tool-keeper.ts';
import { askForSchema } from './tool-probe.ts';
import type { ToolRecord } from './tool-records.ts';
import { makeToolShelf, type ToolShelf } from './tool-shelf.ts';
import { makeToolsFolder, TOOLS } from './tools-folder.ts';
import type { TimePowers } from './within.ts';

export type AdoptedToolsPowers = {
  readonly guest: Guest;
  /** Function names that no adopted tool may have. */
  readonly staticNames: readonly string[];
  /** For a tool to give its schema. */
  readonly time: TimePowers;
  /** What goes wrong with a tool, for the log. */
  readonly onTrouble: (during: string, cause: unknown) => void;
};

/** A capability that is to become a tool. */
export type Candidate = {
  /** Its formula id. */
  readonly id: string;
  /** The name that it is to have in `tools/`. */
  readonly petName: string;
  /** Who sent it, in words made of ids: `HOST`, `"bob"`. */
  readonly from: string;
  readonly replace: boolean;
  /** Gives it that name; done again, it changes nothing. */
  readonly bind: () => Promise<unknown>;
};

/**
 * The tools in `tools/`, as the registry offers them. What they say of
 * themselves is asked once, checked and recorded; after that nothing is asked
 * of them or of the daemon until a name in `tools/` changes or a call fails.
 */
export type AdoptedTools = {
  /** Reads the records, and begins to take up what is there. Never rejects. */
  readonly start: () => Promise<void>;
  /**
   * Resolves when the tools that were there at the start are offered or
   * withheld: within about the time that one has for its schema, twice.
   */
  readonly whenReady: () => Promise<void>;
  readonly source: ToolSource;
  /**
   * Asks for the schema, and names the capability only when that is in order.
   * Done again, after a crash on the way too, it comes to the same.
   */
  readonly adopt: (candidate: Candidate) => Promise<ToolRecord>;
  /** Looks again at a path that a turn has changed. Never rejects. */
  readonly refresh: (path: NamePath) => Promise<void>;
  /** Of the guest's own directory, where `tools` may be another one now. */
  readonly noteName: (change: NameChange) => void;
  readonly close: () => void;
};

const makeAccess = (
  { guest, time, onTrouble }: AdoptedToolsPowers,
  getShelf: () => ToolShelf,
): ToolAccess =>
  harden({
    find: async (petName: string, id: string) => {
      const path = toolPath(petName);
      const [present, tool] = await Promise.all([
        guest.identify(path),
        guest.lookup(path),
      ]);
      if (present === id) return tool as FaeTool;
      throw Error(`${path.join('/')} is not the tool any more that it was`);
    },
    recheck: async (petName: string, id: string) => {
      const record = getShelf().recordOf(petName);
      const schema = await askForSchema(guest.lookup(toolPath(petName)), time)
        // A tool that does not answer may come back as it was.
        .catch(() => record?.schema);
      if (schema === undefined || record?.id !== id) return;
      if (isSameSchema(schema, record.schema)) return;
      getShelf().withhold(petName, id, CHANGED);
      onTrouble(`a call of tools/${petName}`, Error(CHANGED));
    },
  });

export const makeAdoptedTools = (powers: AdoptedToolsPowers): AdoptedTools => {
  const { guest, time, onTrouble, staticNames } = powers;
  const inTurn = makeKeyedQueue();
  const adopting = new Set<string>();
  const access = makeAccess(powers, () => shelf);
  const shelf: ToolShelf = makeToolShelf(
    (record) => makeAdoptedEntry(record, access),
    staticNames,
  );
  const keeper = makeToolKeeper({ guest, shelf, inTurn, time, onTrouble });
  const { reconcile } = keeper;
  const folder = makeToolsFolder({
    guest,
    onChange: (change) => {
      const hint = change.type === 'added' ? change.id : undefined;
      void reconcile(change.name, { hint });
    },
  });
  let ready: Promise<unknown> = Promise.resolve();
  // What is heard of before the records are read would be taken for new.
  let isLoaded = false;

  const attempt = (during: string, run: () => Promise<void>): Promise<void> =>
    run().catch((cause: unknown) => onTrouble(during, cause));

  const reconcileAll = async (names: readonly string[]): Promise<void> => {
    await Promise.all([...new Set(names)].map((name) => reconcile(name)));
  };

  /** `tools` may be another directory now, or none. */
  const refollow = (): Promise<void> =>
    attempt('following tools', async () => {
      if ((await folder.follow()) === 'same') return;
      await reconcileAll(shelf.petNames());
    });

  const takeUpPresent = async (recorded: readonly string[]): Promise<void> => {
    if ((await folder.follow()) === 'none') return;
    await reconcileAll([...recorded, ...(await guest.list(TOOLS))]);
  };

  const takeUpIntroduced = async (names: readonly string[]): Promise<void> => {
    const moved = await moveIntroduced(guest, names, { time, onTrouble });
    if (moved.length > 0) await folder.follow();
    await Promise.all(moved.map((name) => reconcile(name, { from: 'HOST' })));
  };

  const adopt = async (candidate: Candidate): Promise<ToolRecord> => {
    const { id, petName, from, replace, bind } = candidate;
    assertToolName(petName);
    shelf.assertRoom(petName);
    const path = toolPath(petName);
    const schema = await askForSchema(guest.lookupById(id), time);
    // A daemon may replace a directory, and lose all that is in it.
    if (!(await guest.has(TOOLS))) await guest.makeDirectory(TOOLS);
    const present = await guest.identify(path);
    if (present !== undefined && present !== id && !replace) {
      throw Error(
        `${path.join('/')} is something else already. Nothing was changed. Choose another toolName, or give "replace": true`,
      );
    }
    await bind();
    const record = await keeper.install({ petName, id, from }, schema);
    await attempt('following tools', async () => {
      await folder.follow();
    });
    return record;
  };

  return harden({
    start: () =>
      attempt('reading the records of tools', async () => {
        const names = await guest.list([]);
        const recorded = await keeper.load(names);
        isLoaded = true;
        ready = Promise.all([
          attempt('taking up tools', () => takeUpPresent(recorded)),
          attempt('introducing tools', () => takeUpIntroduced(names)),
        ]);
      }),
    whenReady: async () => {
      await ready;
    },
    source: { entries: shelf.entries, whyNot: shelf.whyWithheld },
    adopt: (candidate: Candidate) =>
      inTurn(candidate.petName, async () => {
        adopting.add(candidate.petName);
        try {
          return await adopt(candidate);
        } finally {
          adopting.delete(candidate.petName);
        }
      }),
    refresh: async ([head, petName]: NamePath) => {
      if (head !== TOOLS[0]) return;
      if (petName === undefined) await refollow();
      // Whoever adopts it waits for its own change, which waits for nobody.
      else if (!adopting.has(petName)) await reconcile(petName);
    },
    noteName: ({ name }: NameChange) => {
      if (isLoaded && name === TOOLS[0]) void refollow();
    },
    close: folder.close,
  });
};
harden(makeAdoptedTools);
