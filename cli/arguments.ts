import { usageError } from './cli-error.ts';
import type { NameOrPath } from './remote.ts';
import { visibleLine } from './visible.ts';

const BIGINT = /^[+-]?\d+$/u;

/** A message number, such as `5`. */
export const parseMessageNumber = (text: string): bigint => {
  const digits = text.replace(/^#/u, '');
  if (!/^\d+$/u.test(digits)) {
    throw usageError(
      `"${text}" is not a message number; "inbox" shows the numbers`,
    );
  }
  return BigInt(digits);
};
harden(parseMessageNumber);

/** A whole number of any size, such as `-12`. */
export const parseBigInt = (text: string): bigint => {
  const trimmed = text.trim();
  if (!BIGINT.test(trimmed)) {
    throw usageError(`"${text}" is not a whole number`);
  }
  return BigInt(trimmed.replace(/^\+/u, ''));
};
harden(parseBigInt);

/** `a/b/c` as its segments. */
export const parsePath = (text: string): readonly string[] => {
  const segments = text.split('/');
  if (segments.some((segment) => segment === '')) {
    throw usageError(
      `"${text}" is not a path: write names with one "/" between, as "notes/today"`,
    );
  }
  return harden(segments);
};
harden(parsePath);

/** A single name as the string that older daemons want, a path as an array. */
export const parseNameOrPath = (text: string): NameOrPath => {
  const segments = parsePath(text);
  return segments.length === 1 ? text : segments;
};
harden(parseNameOrPath);

/** `a:b` as two sides; `a` alone is on both. */
export const parsePair = (
  text: string,
  form: string,
): readonly [string, string] => {
  const [left = '', right = left, ...more] = text.split(':');
  if (left === '' || right === '' || more.length > 0) {
    throw usageError(`"${text}" is not of the form ${form}`);
  }
  return harden([left, right]);
};
harden(parsePair);

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/u;

/**
 * `K=V` as name and value; `K` with its value in `env`. No error holds a
 * value: it may be a secret.
 */
export const parseVariable = (
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly [name: string, value: string] => {
  const equals = text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  if (!VARIABLE.test(name)) {
    throw usageError(
      `-E ${visibleLine(name)}: not the name of a variable; write -E NAME=value, or -E NAME for the value in the environment`,
    );
  }
  const value = equals < 0 ? env[name] : text.slice(equals + 1);
  if (value === undefined) {
    throw usageError(
      `-E ${name}: the environment has no ${name}; set it first, or write -E ${name}=value`,
    );
  }
  return harden([name, value]);
};
harden(parseVariable);

/** The values of an option that may be given more than once. */
export const optionTexts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];
harden(optionTexts);

/** The value of an option, `undefined` when it is not given. */
export const optionText = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
harden(optionText);
