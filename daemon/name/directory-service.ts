import type { FormulaId } from '../formula/formula.ts';
import { encodePassable } from '../formula/passable.ts';
import {
  formatLocator,
  idFromLocator,
  parseId,
  type Ids,
} from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import type { NameHubs } from './name-hubs.ts';
import { formatPath, pathFrom, type NamePath } from './pet-name.ts';

export type NameOrPath = string | NamePath;

/** What agents and directories do with names; `hub` is the one that is asked. */
export type DirectoryService = {
  readonly has: (hub: FormulaId, path: NamePath) => boolean;
  readonly identify: (hub: FormulaId, path: NamePath) => FormulaId | undefined;
  readonly reverseIdentify: (
    hub: FormulaId,
    id: FormulaId,
  ) => readonly string[];
  readonly locate: (hub: FormulaId, path: NamePath) => string | undefined;
  readonly reverseLocate: (
    hub: FormulaId,
    locator: string,
  ) => readonly string[];
  readonly list: (hub: FormulaId, path: NamePath) => readonly string[];
  readonly listIdentifiers: (
    hub: FormulaId,
    path: NamePath,
  ) => readonly FormulaId[];
  readonly lookup: (hub: FormulaId, nameOrPath: NameOrPath) => Promise<unknown>;
  readonly lookupById: (id: FormulaId) => Promise<unknown>;
  readonly reverseLookup: (hub: FormulaId, value: unknown) => readonly string[];
  readonly write: (
    hub: FormulaId,
    nameOrPath: NameOrPath,
    id: FormulaId,
  ) => void;
  readonly remove: (hub: FormulaId, path: NamePath) => void;
  readonly move: (hub: FormulaId, from: NameOrPath, to: NameOrPath) => void;
  readonly copy: (hub: FormulaId, from: NameOrPath, to: NameOrPath) => void;
  readonly makeDirectory: (
    hub: FormulaId,
    nameOrPath: NameOrPath,
  ) => Promise<unknown>;
  readonly storeValue: (
    hub: FormulaId,
    value: unknown,
    nameOrPath: NameOrPath,
  ) => void;
};

export type DirectoryServicePowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly collector: Collector;
  readonly hubs: NameHubs;
  readonly incarnator: Incarnator;
  readonly ids: Ids;
};

/** The id of a value to be named: its own, or that of a new marshal formula. */
export const makeFormulate =
  ({
    formulas,
    incarnator,
    ids,
  }: Pick<DirectoryServicePowers, 'formulas' | 'incarnator' | 'ids'>) =>
  (value: unknown): FormulaId => {
    const known = incarnator.idOf(value);
    if (known !== undefined) return known;
    const formula = encodePassable(value, incarnator.idOf);
    const id = ids.makeFormulaId();
    formulas.put(id, formula);
    return id;
  };
harden(makeFormulate);

const makeReaders = ({ hubs, incarnator }: DirectoryServicePowers) => ({
  has: (hub: FormulaId, path: NamePath) =>
    hubs.identify(hub, path) !== undefined,
  identify: (hub: FormulaId, path: NamePath) => hubs.identify(hub, path),
  reverseIdentify: (hub: FormulaId, id: FormulaId) => {
    parseId(id);
    return hubs.namesOf(hubs.requireHub(hub, []), id);
  },
  locate: (hub: FormulaId, path: NamePath) => {
    const id = hubs.identify(hub, path);
    return id === undefined ? undefined : formatLocator(id, hubs.typeOf(id));
  },
  reverseLocate: (hub: FormulaId, locator: string) =>
    hubs.namesOf(hubs.requireHub(hub, []), idFromLocator(locator)),
  list: (hub: FormulaId, path: NamePath) =>
    harden(hubs.entriesOf(hubs.requireHub(hub, path)).map(({ name }) => name)),
  listIdentifiers: (hub: FormulaId, path: NamePath) => {
    const entries = hubs.entriesOf(hubs.requireHub(hub, path));
    return harden([...new Set(entries.map(({ id }) => id))].sort());
  },
  reverseLookup: (hub: FormulaId, value: unknown) => {
    const id = incarnator.idOf(value);
    return id === undefined
      ? harden([])
      : hubs.namesOf(hubs.requireHub(hub, []), id);
  },
  lookup: async (hub: FormulaId, nameOrPath: NameOrPath) =>
    incarnator.provide(hubs.require(hub, pathFrom(nameOrPath))),
  lookupById: async (id: FormulaId) => {
    parseId(id);
    return incarnator.provide(id);
  },
});

const makeRelocation = ({ database, hubs }: DirectoryServicePowers) => {
  const copy = (hub: FormulaId, from: NameOrPath, to: NameOrPath): void =>
    database.transact(() => {
      const id = hubs.require(hub, pathFrom(from));
      hubs.bind(hubs.writablePlace(hub, pathFrom(to)), id);
    });

  const move = (hub: FormulaId, from: NameOrPath, to: NameOrPath): void =>
    database.transact(() => {
      const id = hubs.require(hub, pathFrom(from));
      const source = hubs.writablePlace(hub, pathFrom(from));
      const target = hubs.writablePlace(hub, pathFrom(to));
      if (
        source.hub.directory === target.hub.directory &&
        source.name === target.name
      )
        return;
      if (target.way.includes(id)) {
        throw Error(
          `Cannot move ${formatPath(pathFrom(from))} to ${formatPath(pathFrom(to))}: a directory cannot be moved into itself`,
        );
      }
      hubs.bind(target, id);
      hubs.unbind(source);
    });

  return { copy, move };
};

const makeWriters = (powers: DirectoryServicePowers) => {
  const { database, formulas, hubs, incarnator, ids } = powers;
  const formulate = makeFormulate(powers);
  return {
    write: (hub: FormulaId, nameOrPath: NameOrPath, id: FormulaId): void => {
      parseId(id);
      database.transact(() =>
        hubs.bind(hubs.writablePlace(hub, pathFrom(nameOrPath)), id),
      );
    },
    remove: (hub: FormulaId, path: NamePath): void =>
      database.transact(() => {
        hubs.require(hub, path);
        hubs.unbind(hubs.writablePlace(hub, path));
      }),
    makeDirectory: async (hub: FormulaId, nameOrPath: NameOrPath) => {
      const path = pathFrom(nameOrPath);
      const id = ids.makeFormulaId();
      database.transact(() => {
        const place = hubs.writablePlace(hub, path);
        if (hubs.identify(hub, path) !== undefined) {
          throw Error(
            `Cannot make the directory ${formatPath(path)}: that name is taken. Remove it first, or choose another`,
          );
        }
        formulas.put(id, harden({ type: 'directory' }));
        hubs.bind(place, id);
      });
      return incarnator.provide(id);
    },
    storeValue: (
      hub: FormulaId,
      value: unknown,
      nameOrPath: NameOrPath,
    ): void => {
      const path = pathFrom(nameOrPath);
      database.transact(() => {
        const place = hubs.writablePlace(hub, path);
        hubs.bind(place, formulate(value));
      });
    },
  };
};

export const makeDirectoryService = (
  powers: DirectoryServicePowers,
): DirectoryService =>
  harden({
    ...makeReaders(powers),
    ...makeWriters(powers),
    ...makeRelocation(powers),
  });
harden(makeDirectoryService);
