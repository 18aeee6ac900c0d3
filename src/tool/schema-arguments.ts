import type { JsonSchema } from '../model/chat.ts';
import { parseArgumentText, type PlainRecord } from './argument-text.ts';
import { boundText, render } from './render.ts';

type Fields = { readonly [key: string]: unknown };

const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Checks of a value as it is, by type. */
const FITS: { readonly [type: string]: (value: unknown) => boolean } = harden({
  string: (value: unknown) => typeof value === 'string',
  number: (value: unknown) => typeof value === 'number',
  integer: (value: unknown) => Number.isSafeInteger(value),
  boolean: (value: unknown) => typeof value === 'boolean',
  null: (value: unknown) => value === null,
  array: (value: unknown) => Array.isArray(value),
  object: isRecord,
});

const asNumber = (value: unknown): unknown =>
  typeof value === 'string' &&
  /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/iu.test(value)
    ? Number(value)
    : value;

/** A list or a record that came as a text; else what came. */
const parseInner = (value: unknown, opening: string): unknown => {
  if (typeof value !== 'string' || !value.trimStart().startsWith(opening)) {
    return value;
  }
  try {
    const parsed = parseArgumentText(`{"value":${value}}`);
    return Object.keys(parsed).length === 1 ? parsed['value'] : value;
  } catch {
    // A text that only begins like one: the check of its type says so.
    return value;
  }
};

/** What a value most likely means where this type is wanted. */
const READ: { readonly [type: string]: (value: unknown) => unknown } = harden({
  string: (value: unknown) =>
    typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : value,
  number: asNumber,
  integer: asNumber,
  boolean: (value: unknown) =>
    value === 'true' || value === 'false' ? value === 'true' : value,
  null: (value: unknown) => value,
  array: (value: unknown) => {
    const list = parseInner(value, '[');
    return isRecord(list) || Array.isArray(list) || list === null
      ? list
      : [list];
  },
  object: (value: unknown) => parseInner(value, '{'),
});

const WANTED: { readonly [type: string]: string } = harden({
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'a record',
});

/** The types that a schema allows; none when it is silent. */
const typesOf = ({
  type,
  properties,
  items,
}: JsonSchema): readonly string[] => {
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type as readonly string[];
  if (properties !== undefined) return ['object'];
  return items === undefined ? [] : ['array'];
};

const show = (value: unknown): string => {
  const shown =
    typeof value === 'string' ? JSON.stringify(value) : render(value);
  return shown.length > 160 ? `${boundText(shown.slice(0, 160))}…` : shown;
};

/** Reads values as one schema directs; what does not fit is complained of. */
const makeReader = (complaints: string[]) => {
  const readFields = (
    schema: JsonSchema,
    given: Fields,
    where: string,
  ): Fields => {
    const { properties = {}, required = [], additionalProperties } = schema;
    const known = properties as { readonly [name: string]: JsonSchema };
    const needed = required as readonly string[];
    const inner = (name: string): string =>
      where === '' ? name : `${where}.${name}`;
    const read: { [name: string]: unknown } = {};
    for (const [name, value] of Object.entries(given)) {
      const own = Object.hasOwn(known, name) ? known[name] : undefined;
      // A model often says null for what it leaves out.
      const isLeftOut =
        value === null &&
        own !== undefined &&
        !needed.includes(name) &&
        !typesOf(own).includes('null');
      if (isLeftOut) continue;
      if (own === undefined && additionalProperties === false) {
        const names = Object.keys(known).join(', ') || 'none';
        complaints.push(
          `there is no parameter ${JSON.stringify(inner(name).slice(0, 80))} (known: ${names})`,
        );
        continue;
      }
      const rest = isRecord(additionalProperties) ? additionalProperties : {};
      read[name] = readValue(own ?? rest, value, inner(name));
    }
    for (const name of needed) {
      if (Object.hasOwn(read, name)) continue;
      const [type = ''] = typesOf(known[name] ?? {});
      complaints.push(
        `"${inner(name)}" is missing; it takes ${WANTED[type] ?? 'a value'}`,
      );
    }
    return read;
  };

  const readInner = (
    schema: JsonSchema,
    value: unknown,
    where: string,
  ): unknown => {
    if (isRecord(value)) return readFields(schema, value, where);
    const { items } = schema;
    if (!Array.isArray(value) || !isRecord(items)) return value;
    return value.map((item, index) =>
      readValue(items, item, `${where}[${index}]`),
    );
  };

  const readValue = (
    schema: JsonSchema,
    value: unknown,
    where: string,
  ): unknown => {
    const types = typesOf(schema);
    if (types.length === 0) return readInner(schema, value, where);
    const candidates = [
      ...(types.some((type) => FITS[type]?.(value)) ? [value] : []),
      ...types
        .map((type) => ({ type, read: READ[type]?.(value) }))
        .filter(({ type, read }) => FITS[type]?.(read))
        .map(({ read }) => read),
    ];
    const choices = schema['enum'] as readonly unknown[] | undefined;
    const fitting = candidates.find((each) => choices?.includes(each) ?? true);
    if (fitting !== undefined) return readInner(schema, fitting, where);
    const wanted =
      choices === undefined
        ? types.map((type) => WANTED[type] ?? type).join(' or ')
        : `one of ${choices.map((each) => JSON.stringify(each)).join(', ')}`;
    complaints.push(`"${where}" takes ${wanted}, and was given ${show(value)}`);
    return value;
  };

  return { readFields };
};

/**
 * From the model's record to the arguments of a tool, as its JSON Schema
 * directs: a text stays as it is written where a text is wanted, numbers,
 * lists and records may come as texts, and where the schema is silent a value
 * is passed on as plain JSON. Unknown parameters are passed on unless
 * `additionalProperties` forbids them. Limits of a value (`minimum` …) are the
 * tool's to check.
 *
 * @throws one Error that names all that is wrong
 */
export const decodeBySchema = (
  tool: string,
  parameters: JsonSchema,
  given: PlainRecord,
): PlainRecord => {
  const complaints: string[] = [];
  const args = makeReader(complaints).readFields(parameters, given, '');
  if (complaints.length > 0) {
    throw Error(`${tool} did not run: ${complaints.slice(0, 8).join('; ')}.`);
  }
  return harden(args);
};
harden(decodeBySchema);
