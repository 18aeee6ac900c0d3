import { E } from '@endo/far';
import { q } from '@endo/errors';
import { makeExo } from '@endo/exo';
import { M } from '@endo/patterns';
import type { FakeFormulas } from './fake-formulas.ts';
import { assertName, assertPetName, splitPath, toPath } from './fake-names.ts';
import type { NameOrPath } from './fake-names.ts';
import { makeFakeTopic } from './fake-topic.ts';

const NamePathShape = M.arrayOf(M.string());
const NameOrPathShape = M.or(M.string(), NamePathShape);

/** Guards of the methods that every directory has. */
export const directoryGuards = harden({
  has: M.call().rest(NamePathShape).returns(M.promise()),
  identify: M.call().rest(NamePathShape).returns(M.promise()),
  locate: M.call().rest(NamePathShape).returns(M.promise()),
  reverseIdentify: M.call(M.string()).returns(M.promise()),
  list: M.call().rest(NamePathShape).returns(M.promise()),
  lookup: M.call(NameOrPathShape).returns(M.promise()),
  lookupById: M.call(M.string()).returns(M.promise()),
  write: M.call(NameOrPathShape, M.string()).returns(M.promise()),
  remove: M.call().rest(NamePathShape).returns(M.promise()),
  move: M.call(NamePathShape, NamePathShape).returns(M.promise()),
  copy: M.call(NamePathShape, NamePathShape).returns(M.promise()),
  makeDirectory: M.call(NameOrPathShape).returns(M.promise()),
  followNameChanges: M.call().returns(M.promise()),
});

const DirectoryI = M.interface('EndoDirectory', directoryGuards);

/** Another directory, reached by reference: nested, or an agent. */
type Hub = {
  readonly has: (...path: string[]) => Promise<boolean>;
  readonly identify: (...path: string[]) => Promise<string | undefined>;
  readonly list: () => Promise<readonly string[]>;
  readonly lookup: (name: NameOrPath) => Promise<unknown>;
  readonly write: (name: NameOrPath, id: string) => Promise<void>;
  readonly remove: (...path: string[]) => Promise<void>;
};

const unknownName = (name: string): TypeError =>
  new TypeError(`Unknown pet name: ${String(q(name))}`);

/** The names of one directory. Special names cannot be written or removed. */
const makeNames = (
  specials: ReadonlyMap<string, string>,
  formulas: FakeFormulas,
) => {
  const names = new Map<string, string>();
  const topic = makeFakeTopic();
  const addition = (name: string, id: string): unknown => {
    const [number, node] = id.split(':');
    return harden({ add: name, value: { number, node } });
  };
  const identify = (name: string): string | undefined => {
    assertName(name);
    return specials.get(name) ?? names.get(name);
  };
  const all = (): [string, string][] => [
    ...[...specials].sort(),
    ...[...names].sort(([a], [b]) => (a < b ? -1 : 1)),
  ];
  const remove = (name: string): void => {
    assertPetName(name);
    if (!names.delete(name)) throw unknownName(name);
    topic.publish(harden({ remove: name }));
  };
  return {
    identify,
    remove,
    valueOf: (name: string): unknown => {
      const id = identify(name);
      if (id === undefined) throw unknownName(name);
      return formulas.valueOf(id);
    },
    write: (name: string, id: string): void => {
      assertPetName(name);
      if (names.has(name)) remove(name);
      names.set(name, id);
      topic.publish(addition(name, id));
    },
    list: (): readonly string[] => harden(all().map(([name]) => name)),
    reverse: (id: string): readonly string[] =>
      harden(all().flatMap(([name, other]) => (other === id ? [name] : []))),
    follow: (): object =>
      topic.follow(all().map(([name, id]) => addition(name, id))),
  };
};

export type FakeDirectoryOptions = {
  readonly formulas: FakeFormulas;
  /** Name → id. */
  readonly specials: ReadonlyMap<string, string>;
  /** Whether `makeDirectory` refuses a name that is taken. */
  readonly strict: boolean;
};

/** The directory methods of a guest, a host or a nested directory. */
export const makeFakeDirectoryMethods = (options: FakeDirectoryOptions) => {
  const { formulas, specials, strict } = options;
  const names = makeNames(specials, formulas);

  const lookup = async (nameOrPath: NameOrPath): Promise<unknown> => {
    const [head, ...tail] = toPath(nameOrPath);
    if (head === undefined) throw Error('Invalid name path: it is empty');
    let value: unknown = names.valueOf(head);
    for (const name of tail) value = await E(value as Hub).lookup(name);
    return value;
  };
  /** The directory that holds the last segment, `undefined` for this one. */
  const hubOf = async (prefix: readonly string[]): Promise<Hub | undefined> =>
    prefix.length === 0 ? undefined : ((await lookup(prefix)) as Hub);

  const identify = async (...path: string[]): Promise<string | undefined> => {
    const { prefix, last } = splitPath(path);
    // Endo's refuses to look beyond what is not there; Hob's sees nothing.
    if (strict && prefix.length > 0 && !(await has(...prefix))) {
      return undefined;
    }
    const hub = await hubOf(prefix);
    return hub === undefined ? names.identify(last) : E(hub).identify(last);
  };
  const locate = async (...path: string[]): Promise<string | undefined> => {
    const id = await identify(...path);
    if (id === undefined) return undefined;
    const [number, node] = id.split(':');
    return `endo://${node}/?id=${number}&type=${formulas.typeOf(id)}`;
  };
  const has = async (...path: string[]): Promise<boolean> =>
    (await identify(...path)) !== undefined;
  const write = async (nameOrPath: NameOrPath, id: string): Promise<void> => {
    const { prefix, last } = splitPath(nameOrPath);
    assertPetName(last);
    const hub = await hubOf(prefix);
    if (hub === undefined) names.write(last, id);
    else await E(hub).write(last, id);
  };
  const remove = async (...path: string[]): Promise<void> => {
    const { prefix, last } = splitPath(path);
    assertPetName(last);
    const hub = await hubOf(prefix);
    if (hub === undefined) names.remove(last);
    else await E(hub).remove(last);
  };
  const copy = async (
    from: readonly string[],
    to: readonly string[],
  ): Promise<void> => {
    const id = await identify(...from);
    if (id === undefined) throw unknownName(from.join('/'));
    await write(to, id);
  };

  return harden({
    has,
    identify,
    locate,
    reverseIdentify: (id: string) => Promise.resolve(names.reverse(id)),
    list: async (...path: string[]): Promise<readonly string[]> => {
      const hub = await hubOf(path);
      return hub === undefined ? names.list() : E(hub).list();
    },
    lookup,
    // An async function, so that an unknown id is a rejection.
    // eslint-disable-next-line @typescript-eslint/require-await
    lookupById: async (id: string): Promise<unknown> => formulas.valueOf(id),
    write,
    remove,
    move: async (from: readonly string[], to: readonly string[]) => {
      assertPetName(splitPath(from).last);
      if (from.join('/') === to.join('/')) return;
      await copy(from, to);
      await remove(...from);
    },
    copy,
    makeDirectory: async (nameOrPath: NameOrPath): Promise<unknown> => {
      const path = toPath(nameOrPath);
      assertPetName(splitPath(path).last);
      if (strict && (await has(...path))) {
        throw Error(`Name already in use: ${String(q(path.join('/')))}`);
      }
      const directory = makeFakeDirectory({
        formulas,
        specials: new Map(),
        strict,
      });
      await write(path, formulas.provide(directory));
      return directory;
    },
    followNameChanges: () => Promise.resolve(names.follow()),
  });
};

/** A nested directory. */
export const makeFakeDirectory = (options: FakeDirectoryOptions): object =>
  makeExo('EndoDirectory', DirectoryI, makeFakeDirectoryMethods(options));
