import { createHash } from 'node:crypto';
import { q } from '@endo/errors';

/** Names and formula ids of the fake world, as generation A has them. */

const PET_NAME = /^[a-z0-9][a-z0-9-]{0,127}$/u;
const SPECIAL_NAME = /^[A-Z][A-Z0-9-]{0,127}$/u;
const RESERVED_EDGE_NAMES: ReadonlySet<string> = new Set([
  'FROM',
  'TO',
  'DATE',
  'TYPE',
  'MESSAGE',
  'REPLY',
  'DESCRIPTION',
  'STRINGS',
  'PROMISE',
  'RESOLVER',
]);

export type NameOrPath = string | readonly string[];

/** 64 hexadecimal digits, the same in every run. */
export const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex');

export const toPath = (nameOrPath: NameOrPath): readonly string[] =>
  typeof nameOrPath === 'string' ? [nameOrPath] : nameOrPath;

export const assertName = (name: string): void => {
  if (!PET_NAME.test(name) && !SPECIAL_NAME.test(name)) {
    throw Error(`Invalid name ${String(q(name))}`);
  }
};

export const assertPetName = (name: string): void => {
  if (!PET_NAME.test(name)) {
    throw Error(`Invalid pet name ${String(q(name))}`);
  }
};

/** Splits a path into its directory and a last segment that can be written. */
export const splitPath = (
  nameOrPath: NameOrPath,
): { readonly prefix: readonly string[]; readonly last: string } => {
  const path = toPath(nameOrPath);
  const last = path.at(-1);
  if (last === undefined) throw Error('Invalid name path: it is empty');
  path.slice(0, -1).forEach(assertName);
  return { prefix: path.slice(0, -1), last };
};

/** The rules of a parcel: text before every value, edge names unique and free. */
export const assertParcel = (
  strings: readonly string[],
  edgeNames: readonly string[],
  petNames: readonly NameOrPath[],
): void => {
  if (edgeNames.length !== petNames.length) {
    throw Error(
      `Message must have one edge name (${edgeNames.length}) for every pet name (${petNames.length})`,
    );
  }
  if (strings.length < edgeNames.length) {
    throw Error(
      `Message must have one string before every value, has ${strings.length} strings for ${edgeNames.length} values`,
    );
  }
  edgeNames.forEach((name) => {
    assertName(name);
    if (RESERVED_EDGE_NAMES.has(name)) {
      throw Error(`Edge name ${String(q(name))} is reserved`);
    }
  });
  if (new Set(edgeNames).size !== edgeNames.length) {
    throw Error('Edge names of a message must be unique');
  }
};
