import { E } from '@endo/far';
import { asStrings, attempt, shownPath, unexpected } from './attempt.ts';
import { makeFollowing } from './following.ts';
import { nameOrPath } from './generation-a-powers.ts';
import type { GuestPowers } from './generation-a-powers.ts';
import type { Directory, Located, NameChange } from './guest.ts';

/** `{ add, value }` or `{ remove }`; the value is an id, whole or in its two parts. */
const readNameChange = (raw: unknown): NameChange => {
  const change = raw as {
    readonly add?: unknown;
    readonly remove?: unknown;
    readonly value?: unknown;
  };
  if (typeof change.remove === 'string') {
    return { type: 'removed', name: change.remove };
  }
  const value = change.value as
    string | { readonly number?: unknown; readonly node?: unknown } | undefined;
  if (typeof change.add === 'string' && value !== undefined) {
    if (typeof value === 'string') {
      return { type: 'added', name: change.add, id: value };
    }
    if (typeof value.number === 'string' && typeof value.node === 'string') {
      const id = `${value.number}:${value.node}`;
      return { type: 'added', name: change.add, id };
    }
  }
  throw unexpected('follow names', 'an addition or a removal');
};

/** `endo://<node>/?id=<number>&type=<type>`, as A locates its own values. */
const readLocator = (what: string, locator: unknown): Located => {
  const [, node, number, type] =
    typeof locator === 'string'
      ? (/^endo:\/\/([0-9a-f]+)\/\?id=([0-9a-f]+)&type=([\w-]+)$/u.exec(
          locator,
        ) ?? [])
      : [];
  if (node === undefined || number === undefined || type === undefined) {
    throw unexpected(what, 'a locator');
  }
  return { id: `${number}:${node}`, type };
};

/** The directory half of the port over generation A. */
export const makeDirectoryPort = (powers: Promise<GuestPowers>): Directory =>
  harden({
    has: async (path) => {
      const what = `ask whether there is a ${shownPath(path)}`;
      const answer = await attempt(what, E(powers).has(...path));
      if (typeof answer !== 'boolean') throw unexpected(what, 'yes or no');
      return answer;
    },
    identify: async (path) => {
      const what = `identify ${shownPath(path)}`;
      const id = await attempt(what, E(powers).identify(...path));
      if (id !== undefined && typeof id !== 'string') {
        throw unexpected(what, 'an id');
      }
      return id;
    },
    locate: async (path) => {
      const what = `locate ${shownPath(path)}`;
      const locator = await attempt(what, E(powers).locate(...path));
      return locator === undefined ? undefined : readLocator(what, locator);
    },
    reverseIdentify: async (id) => {
      const what = 'find names by an id';
      return asStrings(
        what,
        await attempt(what, E(powers).reverseIdentify(id)),
      );
    },
    list: async (path) => {
      const what = path.length === 0 ? 'list names' : `list ${shownPath(path)}`;
      return asStrings(what, await attempt(what, E(powers).list(...path)));
    },
    lookup: (path) =>
      attempt(`look up ${shownPath(path)}`, E(powers).lookup(nameOrPath(path))),
    lookupById: (id) =>
      attempt('look up a value by its id', E(powers).lookupById(id)),
    remove: async (path) => {
      await attempt(`remove ${shownPath(path)}`, E(powers).remove(...path));
    },
    move: async (from, to) => {
      await attempt(
        `move ${shownPath(from)} to ${shownPath(to)}`,
        E(powers).move(harden([...from]), harden([...to])),
      );
    },
    copy: async (from, to) => {
      await attempt(
        `copy ${shownPath(from)} to ${shownPath(to)}`,
        E(powers).copy(harden([...from]), harden([...to])),
      );
    },
    makeDirectory: async (path) => {
      await attempt(
        `make the directory ${shownPath(path)}`,
        E(powers).makeDirectory(nameOrPath(path)),
      );
    },
    storeValue: async (value, path) => {
      await attempt(
        `store ${shownPath(path)}`,
        E(powers).storeValue(harden(value), nameOrPath(path)),
      );
    },
    followNameChanges: (path = []) => {
      const hub: Promise<Pick<GuestPowers, 'followNameChanges'>> =
        path.length === 0
          ? powers
          : (E(powers).lookup(nameOrPath(path)) as typeof hub);
      return makeFollowing('names', E(hub).followNameChanges(), readNameChange);
    },
  });
harden(makeDirectoryPort);
