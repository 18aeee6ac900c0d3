import { E } from '@endo/far';
import { parsePath } from './arguments.ts';
import { CliError } from './cli-error.ts';
import type { RemoteAgent } from './remote.ts';
import { visibleLine } from './visible.ts';

/** What the types of formulas are to a person. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['marshal', 'a stored value'],
  ['readable-blob', 'stored bytes'],
  ['directory', 'a directory'],
  ['eval', 'the result of code'],
  ['make-unconfined', 'a caplet'],
  ['worker', 'a worker'],
  ['guest', 'a guest'],
  ['host', 'a host'],
  ['handle', 'the address of an agent'],
  ['promise', 'an answer that was asked for'],
]);

/** `a directory`, for the `directory` of a locator. */
export const kindInWords = (type: string): string =>
  KINDS.get(type) ?? `a value of the kind ${visibleLine(type)}`;
harden(kindInWords);

/** The type that a locator says, such as `directory`. */
export const typeOfLocator = (locator: string): string =>
  /[?&]type=([^&]*)/u.exec(locator)?.[1] ?? 'unknown';
harden(typeOfLocator);

/** The type of what has that name; `undefined` when nothing has. */
export const typeNamed = async (
  agent: RemoteAgent,
  path: readonly string[],
): Promise<string | undefined> => {
  if (!(await E(agent).has(...path))) return undefined;
  const locator = await E(agent).locate(...path);
  return locator === undefined ? undefined : typeOfLocator(locator);
};
harden(typeNamed);

/**
 * Refuses a name that is taken, unless its value is to be replaced.
 *
 * @returns what has the name until now, in words
 */
export const assertFree = async (
  agent: RemoteAgent,
  name: string,
  replace: boolean,
): Promise<string | undefined> => {
  const type = await typeNamed(agent, parsePath(name));
  if (type === undefined) return undefined;
  const kind = kindInWords(type);
  if (replace) return kind;
  throw new CliError(
    `"${visibleLine(name)}" is taken, by ${kind}; choose another name, or say --replace`,
  );
};
harden(assertFree);

/** Says that a name names nothing, before anything is tried with it. */
export const assertKnown = async (
  agent: RemoteAgent,
  name: string,
): Promise<void> => {
  if (await E(agent).has(...parsePath(name))) return;
  throw new CliError(
    `"${visibleLine(name)}" names nothing; "list" shows the names`,
  );
};
harden(assertKnown);
