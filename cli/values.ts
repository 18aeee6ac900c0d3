import { getInterfaceOf, passStyleOf } from '@endo/far';
import { visible, visibleLine } from './visible.ts';

type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [key: string]: Json };

/** What kind of passable a value from the wire is. */
export const styleOf: (value: unknown) => string = (value) =>
  (passStyleOf as (value: unknown) => string)(harden(value));
harden(styleOf);

const interfaceName = (remotable: unknown): string =>
  (getInterfaceOf(remotable as object) ?? 'object').replace(/^Alleged: /u, '');

/**
 * Any passable as JSON: BigInt as decimal strings, `undefined` as null,
 * objects and promises as `{ "remotable": name }` and `{ "promise": true }`.
 */
export const toJson = (value: unknown): Json => {
  switch (styleOf(value)) {
    case 'string':
    case 'boolean':
    case 'null':
      return value as Json;
    case 'number':
      return Number.isFinite(value) ? (value as number) : String(value);
    case 'bigint':
      return String(value);
    case 'undefined':
      return null;
    case 'copyArray':
      return (value as unknown[]).map(toJson);
    case 'copyRecord':
      return Object.fromEntries(
        Object.entries(value as object).map(([k, v]) => [k, toJson(v)]),
      );
    case 'error':
      return { error: (value as Error).message };
    case 'remotable':
      return { remotable: interfaceName(value) };
    case 'promise':
      return { promise: true };
    default:
      return String(value);
  }
};
harden(toJson);

/** One JSON document, ready to be written. */
export const jsonDocument = (value: unknown): string =>
  `${JSON.stringify(toJson(value), null, 2)}\n`;
harden(jsonDocument);

const inline = (value: unknown): string => {
  switch (styleOf(value)) {
    case 'string':
      return visibleLine(JSON.stringify(value));
    case 'bigint':
      return `${String(value)}n`;
    case 'copyArray':
      return `[${(value as unknown[]).map(inline).join(', ')}]`;
    case 'copyRecord': {
      const entries = Object.entries(value as object).map(
        ([key, item]) => `${keyText(key)}: ${inline(item)}`,
      );
      return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
    }
    case 'error':
      return visibleLine(String(value));
    case 'remotable':
      return `[${visibleLine(interfaceName(value))}]`;
    case 'promise':
      return '[promise]';
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
};

const keyText = (key: string): string =>
  /^[\w$]+$/u.test(key) ? key : visibleLine(JSON.stringify(key));

/** A value as a person reads it: text as text, the rest as in JavaScript. */
export const readable = (value: unknown, width = 78): string => {
  if (typeof value === 'string') return visible(value);
  const line = inline(value);
  if (line.length <= width) return line;
  const style = styleOf(value);
  const deeper = (item: unknown): string =>
    (typeof item === 'string' ? inline(item) : readable(item, width - 2))
      .split('\n')
      .join('\n  ');
  if (style === 'copyArray') {
    const items = (value as unknown[]).map((item) => `  ${deeper(item)},`);
    return `[\n${items.join('\n')}\n]`;
  }
  if (style === 'copyRecord') {
    const items = Object.entries(value as object).map(
      ([key, item]) => `  ${keyText(key)}: ${deeper(item)},`,
    );
    return `{\n${items.join('\n')}\n}`;
  }
  return line;
};
harden(readable);
