/** What JSON can say, as own data of plain objects. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [key: string]: Json };

export type JsonRecord = { readonly [key: string]: Json };

export type JsonLimits = {
  /** Levels of nesting. */
  readonly maxDepth: number;
  /** Values, all levels together. */
  readonly maxValues: number;
  /** UTF-16 code units of all texts and keys together. */
  readonly maxText: number;
};

export const isJsonRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
harden(isJsonRecord);

/** Keys with a meaning of their own to JavaScript. */
const UNSAFE_KEYS: ReadonlySet<string> = new Set([
  '__proto__',
  'constructor',
  'prototype',
]);

const isList = (value: object): value is readonly unknown[] =>
  Array.isArray(value);

/** Own, enumerable data properties in the order of their names. */
const readProperties = (value: object): readonly [string, unknown][] => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw Error('it holds an object that is no plain record');
  }
  return Reflect.ownKeys(value)
    .map((key): [string, unknown] => {
      if (typeof key !== 'string') {
        throw Error('it holds a property that has no name');
      }
      if (UNSAFE_KEYS.has(key)) {
        throw Error(`it holds a property ${JSON.stringify(key)}`);
      }
      const property = ownProperty(value, key);
      if (property?.get !== undefined || property?.set !== undefined) {
        throw Error('it holds a property that runs code when it is read');
      }
      return [key, property?.value];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
};

const ownProperty = (
  value: object,
  key: string,
): PropertyDescriptor | undefined =>
  Object.getOwnPropertyDescriptor(value, key);

/**
 * A copy of a value that somebody else made, with nothing in it but JSON. Keys
 * are in the order of the alphabet, so that equal values have equal texts;
 * properties that are `undefined` are left out.
 *
 * @throws Error with what is wrong, as words to follow "because"
 */
export const copyPlainJson = (value: unknown, limits: JsonLimits): Json => {
  let values = 0;
  let text = 0;

  const countText = (part: string): string => {
    text += part.length;
    if (text <= limits.maxText) return part;
    throw Error(`it has more than ${limits.maxText} characters`);
  };

  const copyObject = (given: object, depth: number): Json => {
    if (depth >= limits.maxDepth) {
      throw Error(`it is nested deeper than ${limits.maxDepth} levels`);
    }
    if (isList(given)) {
      if (given.length > limits.maxValues) countValue(given.length);
      return Array.from({ length: given.length }, (_, index) =>
        copy(ownProperty(given, String(index))?.value, depth + 1),
      );
    }
    return Object.fromEntries(
      readProperties(given)
        .filter(([, inner]) => inner !== undefined)
        .map(([key, inner]) => [countText(key), copy(inner, depth + 1)]),
    );
  };

  const countValue = (count: number): void => {
    values += count;
    if (values > limits.maxValues) {
      throw Error(`it has more than ${limits.maxValues} values`);
    }
  };

  const copy = (given: unknown, depth: number): Json => {
    countValue(1);
    if (typeof given === 'string') return countText(given);
    if (given === null || typeof given === 'boolean') return given;
    if (typeof given === 'number' && Number.isFinite(given)) return given;
    if (typeof given === 'object') return copyObject(given, depth);
    throw Error(`it holds a ${typeof given} that is no JSON`);
  };

  return harden(copy(value, 0));
};
harden(copyPlainJson);
