import { makeMarshal } from '@endo/marshal';
import { passStyleOf, type Passable } from '@endo/pass-style';
import type { FormulaId, MarshalFormula } from './formula.ts';

/** How deep a stored value may be nested. */
const MAX_DEPTH = 200;

type Visit = (value: unknown, where: string) => void;

const step = (where: string, key: string | number): string =>
  typeof key === 'number' ? `${where}[${key}]` : `${where}.${key}`;

/** Calls `visit` on every remotable, promise and refused thing, with its place. */
const walk = (
  value: unknown,
  where: string,
  depth: number,
  visit: Visit,
): void => {
  if (depth > MAX_DEPTH) {
    throw Error(
      `Cannot store a value nested deeper than ${MAX_DEPTH} levels (${where.slice(0, 60)}…)`,
    );
  }
  let style;
  try {
    style = passStyleOf(value as Passable);
  } catch (error) {
    throw Error(
      `Cannot store the value at ${where}: ${(error as Error).message}`,
      { cause: error },
    );
  }
  if (style === 'copyArray') {
    for (const [index, item] of (value as unknown[]).entries()) {
      walk(item, step(where, index), depth + 1, visit);
    }
  } else if (style === 'copyRecord') {
    for (const [key, item] of Object.entries(value as object)) {
      walk(item, step(where, key), depth + 1, visit);
    }
  } else if (style === 'tagged') {
    walk(
      (value as { payload: unknown }).payload,
      `${where}.payload`,
      depth + 1,
      visit,
    );
  } else if (style === 'remotable' || style === 'promise') {
    visit(value, where);
  }
};

export type KnowsIds = (value: unknown) => FormulaId | undefined;

/** Throws when the value holds a remotable or promise without an id, saying where. */
export const assertStorable = (value: unknown, idOf: KnowsIds): void =>
  walk(value, 'value', 0, (found, where) => {
    if (idOf(found) !== undefined) return;
    throw Error(
      passStyleOf(found as Passable) === 'promise'
        ? `Cannot store the promise at ${where}: await it first, or request a value to have a promise that lasts`
        : `Cannot store the remote object at ${where}: only objects that this daemon made or keeps (by lookup, evaluate or makeUnconfined) have an id`,
    );
  });
harden(assertStorable);

/** Whether all of the value could be stored. */
export const isStorable = (value: unknown, idOf: KnowsIds): boolean => {
  let storable = true;
  walk(value, 'value', 0, (found) => {
    if (idOf(found) === undefined) storable = false;
  });
  return storable;
};
harden(isStorable);

const OPTIONS = harden({
  serializeBodyFormat: 'smallcaps',
  errorTagging: 'off',
  marshalSaveError: () => undefined,
} as const);

/** The value as a formula. Throws where it cannot be stored. */
export const encodePassable = (
  value: unknown,
  idOf: KnowsIds,
): MarshalFormula => {
  assertStorable(value, idOf);
  const { toCapData } = makeMarshal<FormulaId>(
    (remotable) => {
      const id = idOf(remotable);
      if (id === undefined)
        throw Error('A remotable without an id came through');
      return id;
    },
    undefined,
    OPTIONS,
  );
  const { body, slots } = toCapData(value as Passable);
  return harden({ type: 'marshal', body, slots: [...slots] });
};
harden(encodePassable);

/** The value again, with `remotables[i]` in the place of `slots[i]`. */
export const decodePassable = (
  { body, slots }: MarshalFormula,
  remotables: readonly unknown[],
): unknown => {
  const bySlot = new Map(slots.map((slot, index) => [slot, remotables[index]]));
  const { fromCapData } = makeMarshal<FormulaId>(
    undefined,
    (slot) => bySlot.get(slot),
    OPTIONS,
  );
  return fromCapData({ body, slots: [...slots] });
};
harden(decodePassable);
