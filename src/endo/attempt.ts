import type { NamePath } from './guest.ts';
import { reasonText } from './reason-text.ts';

/** How calls to a daemon are made and their answers checked, of any generation. */

/** A path as people write it, for errors. */
export const shownPath = (path: NamePath): string =>
  JSON.stringify(path.join('/'));
harden(shownPath);

/** Runs one call, so that its failure says what was tried. */
export const attempt = async (
  what: string,
  call: Promise<unknown>,
): Promise<unknown> => {
  try {
    return harden(await call);
  } catch (reason) {
    throw Error(`Cannot ${what}: ${reasonText(reason)}`, { cause: reason });
  }
};
harden(attempt);

export const unexpected = (what: string, expected: string): TypeError =>
  new TypeError(`Cannot ${what}: the daemon did not answer with ${expected}`);
harden(unexpected);

/** Of an answer that should be a list of strings. */
export const asStrings = (what: string, value: unknown): readonly string[] => {
  if (
    !Array.isArray(value) ||
    !value.every((item): item is string => typeof item === 'string')
  ) {
    throw unexpected(what, 'a list of strings');
  }
  return value;
};
harden(asStrings);
