import type { NamePath } from '../../src/endo/guest.ts';

/** As much of a guest's directory as records need, with a count of its calls. */
export const makeMemoryDirectory = () => {
  const values = new Map<string, unknown>();
  const calls: string[] = [];
  const key = (path: NamePath): string => path.join('/');
  return {
    values,
    calls,
    names: () => [...values.keys()],
    lookup: (path: NamePath) => {
      calls.push(`lookup ${key(path)}`);
      return values.has(key(path))
        ? Promise.resolve(values.get(key(path)))
        : Promise.reject(Error(`There is no ${key(path)}`));
    },
    storeValue: (value: unknown, path: NamePath) => {
      calls.push(`storeValue ${key(path)}`);
      values.set(key(path), harden(value));
      return Promise.resolve();
    },
    remove: (path: NamePath) => {
      calls.push(`remove ${key(path)}`);
      values.delete(key(path));
      return Promise.resolve();
    },
  };
};
