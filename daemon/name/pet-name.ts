/** A path of names. Never empty where a value is meant. */
export type NamePath = readonly string[];

const PET_NAME = /^[a-z0-9][a-z0-9-]{0,127}$/;
const SPECIAL_NAME = /^[A-Z][A-Z0-9]{0,127}$/;

const shown = (name: unknown): string =>
  typeof name === 'string' ? JSON.stringify(name.slice(0, 200)) : typeof name;

export const isPetName = (name: string): boolean => PET_NAME.test(name);
harden(isPetName);

/** A name that can be given. Throws with the rule. */
export const assertPetName = (name: string): void => {
  if (isPetName(name)) return;
  throw Error(
    SPECIAL_NAME.test(name)
      ? `${shown(name)} is a special name and cannot be given to a value`
      : `${shown(name)} is not a valid pet name: 1 to 128 of a-z, 0-9 and "-", beginning with a letter or digit`,
  );
};
harden(assertPetName);

/** A name that can be looked up: a pet name or a special name. */
export const assertName = (name: string): void => {
  if (SPECIAL_NAME.test(name)) return;
  assertPetName(name);
};
harden(assertName);

/** `name`, or `[name, …]`. Throws when empty or when a segment is no name. */
export const pathFrom = (nameOrPath: string | NamePath): NamePath => {
  const path = typeof nameOrPath === 'string' ? [nameOrPath] : [...nameOrPath];
  if (path.length === 0) throw Error('A path needs at least one name');
  for (const name of path) assertName(name);
  return harden(path);
};
harden(pathFrom);

export const formatPath = (path: NamePath): string =>
  JSON.stringify(path.join('/'));
harden(formatPath);
