import type { Formula, FormulaId, FormulaType } from '../formula/formula.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import type { NameEntry, NameStore } from '../store/names.ts';
import type { PromiseStore } from '../store/promises.ts';
import type { NameEvents } from './name-events.ts';
import {
  assertPetName,
  formatPath,
  pathFrom,
  type NamePath,
} from './pet-name.ts';
import {
  absenceOf,
  specialNamesOf,
  type SpecialNames,
} from './special-names.ts';

/** Something with names in it: a directory, or an agent with its own. */
export type Hub = {
  readonly id: FormulaId;
  readonly directory: FormulaId;
  readonly specials: SpecialNames;
};

/** Where a name is, or would be: the hub that has it, and all hubs on the way. */
export type Place = {
  readonly hub: Hub;
  readonly name: string;
  readonly way: readonly FormulaId[];
};

export type NameHubs = {
  /** Throws when the value has no names in it. */
  readonly hubOf: (id: FormulaId, what: string) => Hub;
  readonly identify: (root: FormulaId, path: NamePath) => FormulaId | undefined;
  /** Like `identify`, but throws in words, naming `path`. */
  readonly require: (root: FormulaId, path: NamePath) => FormulaId;
  /** The hub a path leads to; the root itself for the empty path. */
  readonly requireHub: (root: FormulaId, path: NamePath) => Hub;
  /** Where a value can be named. Throws when the hub is missing, or the name special. */
  readonly writablePlace: (root: FormulaId, path: NamePath) => Place;
  readonly entriesOf: (hub: Hub) => readonly NameEntry[];
  readonly namesOf: (hub: Hub, id: FormulaId) => readonly string[];
  readonly bind: (place: Place, id: FormulaId) => void;
  readonly unbind: (place: Place) => void;
  readonly typeOf: (id: FormulaId) => FormulaType;
  readonly get: (id: FormulaId) => Formula | undefined;
};

export type NameHubPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly names: NameStore;
  readonly promises: PromiseStore;
  readonly collector: Collector;
  readonly events: NameEvents;
};

const NO_SPECIALS: SpecialNames = harden({});

export const makeNameHubs = (powers: NameHubPowers): NameHubs => {
  const { database, formulas, names, promises, collector, events } = powers;

  /** What a fulfilled promise stands for; any other id as it is. */
  const beyondPromise = (id: FormulaId): FormulaId => {
    const outcome = promises.outcome(id);
    return outcome?.status === 'fulfilled' ? beyondPromise(outcome.value) : id;
  };

  const maybeHub = (id: FormulaId): Hub | undefined => {
    const hubId = beyondPromise(id);
    const formula = formulas.get(hubId);
    switch (formula?.type) {
      case 'directory':
        return harden({ id: hubId, directory: hubId, specials: NO_SPECIALS });
      case 'host':
      case 'guest':
        return harden({
          id: hubId,
          directory: formula.directory,
          specials: specialNamesOf(hubId, formula),
        });
      default:
        return undefined;
    }
  };

  const hubOf = (id: FormulaId, what: string): Hub => {
    const hub = maybeHub(id);
    if (hub !== undefined) return hub;
    const type = formulas.typeOf(id);
    throw Error(
      type === undefined
        ? `${what} no longer exists`
        : `${what} is not a directory but a value of the kind ${type}`,
    );
  };

  const nameIn = (hub: Hub, name: string): FormulaId | undefined =>
    Object.hasOwn(hub.specials, name)
      ? hub.specials[name]
      : names.get(hub.directory, name);

  const missing = (path: NamePath, index: number): Error => {
    const name = path[index] ?? '';
    const where = index === 0 ? '' : ` in ${formatPath(path.slice(0, index))}`;
    const absent = absenceOf(name);
    return Error(
      absent === undefined
        ? `No value is named ${JSON.stringify(name)}${where}`
        : `${JSON.stringify(name)} names nothing here: ${absent}`,
    );
  };

  const walk = (root: FormulaId, path: NamePath): Place => {
    let hub = hubOf(root, 'The agent or directory');
    const way = [hub.id];
    for (const [index, segment] of path.slice(0, -1).entries()) {
      const id = nameIn(hub, segment);
      if (id === undefined) throw missing(path, index);
      hub = hubOf(id, formatPath(path.slice(0, index + 1)));
      way.push(hub.id);
    }
    return harden({ hub, name: path.at(-1) ?? '', way });
  };

  /** Undefined as soon as a name on the way is missing. */
  const identify = (root: FormulaId, path: NamePath): FormulaId | undefined => {
    let id: FormulaId = root;
    for (const [index, segment] of pathFrom(path).entries()) {
      const what =
        index === 0
          ? 'The agent or directory'
          : formatPath(path.slice(0, index));
      const found = nameIn(hubOf(id, what), segment);
      if (found === undefined) return undefined;
      id = found;
    }
    return id;
  };

  const require = (root: FormulaId, path: NamePath): FormulaId => {
    const { hub, name } = walk(root, pathFrom(path));
    const id = nameIn(hub, name);
    if (id === undefined) throw missing(path, path.length - 1);
    return id;
  };

  const change = (place: Place, id: FormulaId | undefined): void => {
    const { directory } = place.hub;
    const before = names.get(directory, place.name);
    if (before === id) return;
    if (id === undefined) names.remove(directory, place.name);
    else names.set(directory, place.name, id);
    if (before !== undefined) collector.suspect(before);
    database.afterCommit(() =>
      events.publish(directory, harden({ name: place.name, id, before })),
    );
  };

  return harden({
    hubOf,
    identify,
    require,
    requireHub: (root, path) =>
      path.length === 0
        ? hubOf(root, 'The agent or directory')
        : hubOf(require(root, path), formatPath(path)),
    writablePlace: (root, path) => {
      const place = walk(root, pathFrom(path));
      assertPetName(place.name);
      return place;
    },
    entriesOf: (hub) => {
      const special = Object.entries(hub.specials).map(([name, id]) => ({
        name,
        id,
      }));
      return harden([...special, ...names.list(hub.directory)]);
    },
    namesOf: (hub, id) => {
      const special = Object.keys(hub.specials).filter(
        (name) => hub.specials[name] === id,
      );
      return harden([...special, ...names.namesOf(hub.directory, id)]);
    },
    bind: (place, id) => {
      if (formulas.typeOf(id) === undefined) {
        throw Error(
          `There is no value with the id ${id.slice(0, 12)}… to be named ${JSON.stringify(place.name)}`,
        );
      }
      change(place, id);
    },
    unbind: (place) => change(place, undefined),
    typeOf: (id) => {
      const type = formulas.typeOf(id);
      if (type === undefined)
        throw Error(`There is no value with the id ${id.slice(0, 12)}…`);
      return type;
    },
    get: formulas.get,
  });
};
harden(makeNameHubs);
