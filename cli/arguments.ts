import { usageError } from './cli-error.ts';
import type { NameOrPath } from './remote.ts';

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
