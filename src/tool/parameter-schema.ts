import { isJsonRecord, type Json, type JsonRecord } from './plain-json.ts';
import { toPlainText } from './plain-text.ts';

/** Properties of one object. */
const MAX_PROPERTIES = 64;
/** What every provider takes as the name of a property. */
const PROPERTY_NAME = /^[\w.-]{1,64}$/u;
const DESCRIPTION_LENGTH = 500;

const TYPES: ReadonlySet<Json> = new Set([
  ...['string', 'number', 'integer', 'boolean'],
  ...['object', 'array', 'null'],
]);

type Read = (value: Json, where: string) => Json;

const wrong = (where: string, wanted: string): Error =>
  Error(`its ${where} is not ${wanted}`);

const asTexts = (value: Json): readonly string[] | undefined =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? value
    : undefined;

const readType: Read = (value, where) => {
  const types = Array.isArray(value) ? (value as readonly Json[]) : [value];
  const isKnown = types.every((each) => TYPES.has(each));
  if (isKnown && types.length > 0 && new Set(types).size === types.length) {
    return value;
  }
  throw wrong(where, 'a type of JSON');
};

const readText: Read = (value, where) => {
  if (typeof value !== 'string') throw wrong(where, 'a text');
  return toPlainText(value, DESCRIPTION_LENGTH);
};

const readNumber: Read = (value, where) => {
  if (typeof value !== 'number') throw wrong(where, 'a number');
  return value;
};

const readCount: Read = (value, where) => {
  if (Number.isSafeInteger(value) && Number(value) >= 0) return value;
  throw wrong(where, 'a whole number');
};

const readFlag: Read = (value, where) => {
  if (typeof value !== 'boolean') throw wrong(where, 'true or false');
  return value;
};

const readPattern: Read = (value, where) => {
  try {
    if (typeof value === 'string') {
      new RegExp(value, 'u');
      return value;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw wrong(where, 'a regular expression');
};

const readRequired: Read = (value, where) => {
  const names = asTexts(value);
  if (names === undefined) throw wrong(where, 'a list of names');
  return [...new Set(names)];
};

const readChoices: Read = (value, where) => {
  const choices = Array.isArray(value) ? (value as readonly Json[]) : [];
  const isScalar = (each: Json): boolean =>
    typeof each !== 'object' || each === null;
  if (choices.length > 0 && choices.every(isScalar)) return choices;
  throw wrong(where, 'a list of texts and numbers');
};

const readProperties: Read = (value, where) => {
  if (!isJsonRecord(value)) throw wrong(where, 'a record of parameters');
  const entries = Object.entries(value);
  if (entries.length > MAX_PROPERTIES) {
    throw Error(`its ${where} has more than ${MAX_PROPERTIES} parameters`);
  }
  return Object.fromEntries(
    entries.map(([name, inner]) => {
      if (!PROPERTY_NAME.test(name)) {
        throw Error(
          `its parameter ${JSON.stringify(toPlainText(name, 80))} has a name that models cannot use`,
        );
      }
      return [name, readSchema(inner, `${where}.${name}`)];
    }),
  );
};

const readAlternatives: Read = (value, where) => {
  if (!Array.isArray(value) || value.length === 0) {
    throw wrong(where, 'a list of schemas');
  }
  return (value as readonly Json[]).map((each) => readSchema(each, where));
};

const readRest: Read = (value, where) =>
  typeof value === 'boolean' ? value : readSchema(value, where);

const asItIs: Read = (value) => value;

/**
 * What is kept of a JSON Schema. A provider refuses a whole request for one bad
 * schema, so what is kept is checked; what is not known is left out.
 */
const KEYWORDS: ReadonlyMap<string, Read> = new Map([
  ['type', readType],
  ['title', readText],
  ['description', readText],
  ['properties', readProperties],
  ['required', readRequired],
  ['additionalProperties', readRest],
  ['items', (value, where) => readSchema(value, where)],
  ['enum', readChoices],
  ['const', asItIs],
  ['default', asItIs],
  ['format', readText],
  ['pattern', readPattern],
  ['uniqueItems', readFlag],
  ...['anyOf', 'oneOf', 'allOf'].map((name): [string, Read] => [
    name,
    readAlternatives,
  ]),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map(
    (name): [string, Read] => [name, readNumber],
  ),
  ...['minLength', 'maxLength', 'minItems', 'maxItems'].map(
    (name): [string, Read] => [name, readCount],
  ),
  ...['minProperties', 'maxProperties'].map((name): [string, Read] => [
    name,
    readCount,
  ]),
]);

/**
 * Some providers refuse a list that does not say of what, and llama.cpp knows
 * few regular expressions: there a pattern is for the model to read.
 */
const acceptable = ({ pattern, ...kept }: JsonRecord): JsonRecord => {
  const isList = [kept['type']].flat().includes('array');
  const { description, items = {} } = kept;
  const told = typeof description === 'string' ? `${description} ` : '';
  return {
    ...kept,
    ...(typeof pattern === 'string'
      ? {
          description: toPlainText(
            `${told}Pattern: ${pattern}`,
            DESCRIPTION_LENGTH,
          ),
        }
      : {}),
    ...(isList ? { items } : {}),
  };
};

const readSchema = (value: Json, where: string): Json => {
  if (value === true) return {};
  if (!isJsonRecord(value)) throw wrong(where, 'a schema');
  if (Object.hasOwn(value, '$ref')) {
    throw Error(`its ${where} refers to another schema ($ref)`);
  }
  const kept = Object.fromEntries(
    Object.entries(value).flatMap(([keyword, inner]) => {
      const read = KEYWORDS.get(keyword);
      return read === undefined
        ? []
        : [[keyword, read(inner, `${where}.${keyword}`)] as const];
    }),
  );
  return acceptable(kept);
};

/**
 * The parameters of a tool that somebody else made: an object, of whose schema
 * only known and well-formed keywords are left.
 *
 * @throws Error with what is wrong, as words to follow "because"
 */
export const parseParameterSchema = (value: Json | undefined): JsonRecord => {
  const read = readSchema(value ?? {}, 'parameters') as JsonRecord;
  const { type = 'object', properties = {}, ...rest } = read;
  if (type !== 'object') throw wrong('parameters', 'a schema of an object');
  const odd = ['anyOf', 'oneOf', 'allOf', 'enum', 'const'].find((keyword) =>
    Object.hasOwn(rest, keyword),
  );
  if (odd !== undefined) {
    throw Error(`its parameters have ${odd}, which models cannot use there`);
  }
  return harden({ ...rest, type, properties });
};
harden(parseParameterSchema);
