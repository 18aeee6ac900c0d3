import type { Directory, GuestIdentity, NamePath } from './guest.ts';
import { quoteAscii } from './quote.ts';
import { reasonText } from './reason-text.ts';

declare const admitted: unique symbol;

/** A path that has passed the gate. Only the gate makes one. */
export type AdmittedPath = NamePath & { readonly [admitted]: true };

/**
 * The one gate for names that come from a model. It refuses bookkeeping by
 * name and the agent's own inner objects by identity, whatever they are called.
 */
export type NameGate = {
  /** A pet name, a path, or `a/b/c`. Rejects with the reason in words. */
  readonly admit: (nameOrPath: unknown) => Promise<AdmittedPath>;
  /** Whether `list` leaves this name out. */
  readonly isHidden: (name: string) => boolean;
};

const LONGEST_NAME = 255;
const DEEPEST_PATH = 16;

/** Names of records that the agent keeps for itself. */
const BOOKKEEPING = /^(?:(?:transcript|summary|hob|proposal)-|lal-config$)/u;

/** Special names of the generations, of guests and of hosts, without the `@`. */
const SPECIAL: ReadonlySet<string> = new Set([
  ...['AGENT', 'KEYPAIR', 'MAIL', 'NETS', 'PLANES', 'REGISTRY'],
  ...['MAIN', 'NODE', 'APPS', 'ENDO', 'INFO', 'NONE', 'PINS'],
]);

/** Kinds of values that no turn may name, whosever they are. */
const GUARDED_TYPES: ReadonlySet<string> = new Set(['worker', 'keypair']);

/** A formula id, or a locator. They are authority, and no names. */
const ID = /^endo:|[0-9a-f]{32,}:|:[0-9a-f]{32,}/iu;

const refusal = (text: string): Error => Error(text);

/** Bounded, since it is shown to a model and to people. */
const shown = (name: string): string =>
  quoteAscii(name.length > 80 ? `${name.slice(0, 80)}…` : name);

/** What a daemon says, without the ids that it may say. */
const withoutIds = (text: string): string =>
  text.replaceAll(/[0-9a-f]{32,}(?::[0-9a-f]{32,})?/giu, '(an id)');

const isBookkeeping = (name: string): boolean =>
  BOOKKEEPING.test(name.normalize('NFKC').toLowerCase());

const isClosedSpecial = (name: string, identity: GuestIdentity): boolean => {
  const bare = name.replace(/^@/u, '');
  if (/^(?:SELF|HOST)$/iu.test(bare) && identity.specialNames.includes(name)) {
    return false;
  }
  return (
    name.startsWith('@') ||
    SPECIAL.has(name) ||
    identity.specialNames.includes(name)
  );
};

/** No name of any generation has a slash, so that one always parts two names. */
const parsePath = (nameOrPath: unknown): readonly string[] => {
  if (typeof nameOrPath === 'string') return nameOrPath.split('/');
  if (
    Array.isArray(nameOrPath) &&
    nameOrPath.every((item): item is string => typeof item === 'string')
  ) {
    return nameOrPath.flatMap((item) => item.split('/'));
  }
  throw refusal(
    'A name must be a string such as "notes" or "papers/notes", or a list of strings such as ["papers", "notes"]',
  );
};

const assertSegment = (name: string, identity: GuestIdentity): void => {
  if (name === '') throw refusal('A name must not be empty');
  if (name === '.' || name === '..') {
    throw refusal(
      `There is no ${shown(name)} in a path: paths go down from your own directory`,
    );
  }
  if (name.length > LONGEST_NAME) {
    throw refusal(
      `The name ${shown(name)} is too long: at most ${LONGEST_NAME} characters`,
    );
  }
  if (name.includes('\0')) {
    throw refusal(`The name ${shown(name)} holds a character that no name has`);
  }
  if (ID.test(name)) {
    throw refusal('An id or a locator cannot be given as a name');
  }
  if (isBookkeeping(name)) {
    throw refusal(
      `${shown(name)} is a name for your own bookkeeping, which is not yours to touch. Choose another name`,
    );
  }
  if (isClosedSpecial(name, identity)) {
    throw refusal(
      `${shown(name)} is not open to you. Of the special names, use SELF and HOST`,
    );
  }
};

const prefixesOf = (path: NamePath): readonly NamePath[] =>
  path.map((_, index) => path.slice(0, index + 1));

/**
 * Refuses by what the path leads to and through.
 *
 * Between this check and the use of the path a name can be bound anew. Only
 * the HOST, or a turn of this guest, writes names here; a turn cannot write
 * one for a guarded object, since this gate stands before its every source. So
 * the race is the HOST's own, against himself.
 */
const assertLeadsNowhereGuarded = async (
  directory: Pick<Directory, 'locate'>,
  path: NamePath,
  guarded: ReadonlySet<string>,
): Promise<void> => {
  const found = await Promise.allSettled(
    prefixesOf(path).map((prefix) => directory.locate(prefix)),
  );
  const bad = found.findIndex(
    (one) =>
      one.status === 'fulfilled' &&
      one.value !== undefined &&
      (guarded.has(one.value.id) || GUARDED_TYPES.has(one.value.type)),
  );
  if (bad !== -1) {
    throw refusal(
      `${shown(path.slice(0, bad + 1).join('/'))} names a part of yourself that is not open to you`,
    );
  }
  for (const [index, one] of found.entries()) {
    // Nothing is there, so nothing lies beyond it, and what the daemon says of
    // the rest is no news.
    if (one.status === 'fulfilled' && one.value === undefined) return;
    // What cannot be identified is not let by: it cannot be vouched for.
    if (one.status === 'rejected') {
      throw refusal(
        `${shown(path.slice(0, index + 1).join('/'))} cannot be used as a name: ${withoutIds(reasonText(one.reason))}`,
      );
    }
  }
};

/**
 * @param directory - the guest's own
 * @param identity - what is guarded, and which names are special
 */
export const makeNameGate = (
  directory: Pick<Directory, 'locate'>,
  identity: GuestIdentity,
): NameGate => {
  const guarded = new Set(identity.guarded);

  const admit = async (nameOrPath: unknown): Promise<AdmittedPath> => {
    const path = harden([...parsePath(nameOrPath)]);
    if (path.length === 0) throw refusal('A path must not be empty');
    if (path.length > DEEPEST_PATH) {
      throw refusal(`A path has at most ${DEEPEST_PATH} names`);
    }
    for (const name of path) assertSegment(name, identity);
    const [head] = path;
    // SELF and HOST are bound by the daemon, and are not guarded.
    const known =
      path.length === 1 && identity.specialNames.includes(head ?? '');
    if (!known) await assertLeadsNowhereGuarded(directory, path, guarded);
    return path as unknown as AdmittedPath;
  };

  return harden({
    admit,
    isHidden: (name) => isBookkeeping(name) || isClosedSpecial(name, identity),
  });
};
harden(makeNameGate);
