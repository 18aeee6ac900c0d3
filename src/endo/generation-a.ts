import { E } from '@endo/far';
import { makeFollowing } from './following.ts';
import type {
  Directory,
  Guest,
  GuestIdentity,
  Mailbox,
  NameChange,
  NamePath,
  Parcel,
} from './guest.ts';
import { readMail } from './mail.ts';

/** A name alone where a path has one segment, as A takes and shows it. */
type NameOrPath = string | NamePath;

/** What Hob calls on a guest of generation A. The answers are checked, not believed. */
type GuestPowers = {
  readonly has: (...path: string[]) => Promise<unknown>;
  readonly identify: (...path: string[]) => Promise<unknown>;
  readonly reverseIdentify: (id: string) => Promise<unknown>;
  readonly list: (...path: string[]) => Promise<unknown>;
  readonly lookup: (path: NameOrPath) => Promise<unknown>;
  readonly remove: (...path: string[]) => Promise<unknown>;
  readonly move: (from: NamePath, to: NamePath) => Promise<unknown>;
  readonly copy: (from: NamePath, to: NamePath) => Promise<unknown>;
  readonly makeDirectory: (path: NameOrPath) => Promise<unknown>;
  readonly storeValue: (value: unknown, path: NameOrPath) => Promise<unknown>;
  readonly followNameChanges: () => Promise<unknown>;
  readonly listMessages: () => Promise<unknown>;
  readonly followMessages: () => Promise<unknown>;
  readonly send: (
    to: NameOrPath,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
  ) => Promise<unknown>;
  readonly reply: (
    number: bigint,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly NameOrPath[],
  ) => Promise<unknown>;
  readonly adopt: (
    number: bigint,
    edgeName: string,
    path: NameOrPath,
  ) => Promise<unknown>;
  readonly dismiss: (number: bigint) => Promise<unknown>;
  readonly request: (
    to: NameOrPath,
    description: string,
    responseName?: NameOrPath,
  ) => Promise<unknown>;
  readonly resolve: (number: bigint, path: NameOrPath) => Promise<unknown>;
  readonly reject: (number: bigint, reason?: string) => Promise<unknown>;
  readonly help: (method?: string) => Promise<unknown>;
};

const SPECIAL_NAMES = harden(['AGENT', 'HOST', 'KEYPAIR', 'MAIL', 'SELF']);
const GUARDED_NAMES = harden(['AGENT', 'KEYPAIR', 'MAIL']);

const nameOrPath = (path: NamePath): NameOrPath => {
  const [only] = path;
  return path.length === 1 && only !== undefined ? only : harden([...path]);
};

const shown = (path: NamePath): string => JSON.stringify(path.join('/'));

const reasonText = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason);

/** Runs one call, so that its failure says what was tried. */
const attempt = async (
  what: string,
  call: Promise<unknown>,
): Promise<unknown> => {
  try {
    return harden(await call);
  } catch (reason) {
    throw Error(`Cannot ${what}: ${reasonText(reason)}`, { cause: reason });
  }
};

const unexpected = (what: string, expected: string): TypeError =>
  new TypeError(`Cannot ${what}: the daemon did not answer with ${expected}`);

const asStrings = (what: string, value: unknown): readonly string[] => {
  if (
    !Array.isArray(value) ||
    !value.every((item): item is string => typeof item === 'string')
  ) {
    throw unexpected(what, 'a list of strings');
  }
  return value;
};

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

const makeDirectoryPort = (powers: Promise<GuestPowers>): Directory =>
  harden({
    has: async (path) => {
      const what = `ask whether there is a ${shown(path)}`;
      const answer = await attempt(what, E(powers).has(...path));
      if (typeof answer !== 'boolean') throw unexpected(what, 'yes or no');
      return answer;
    },
    identify: async (path) => {
      const what = `identify ${shown(path)}`;
      const id = await attempt(what, E(powers).identify(...path));
      if (id !== undefined && typeof id !== 'string') {
        throw unexpected(what, 'an id');
      }
      return id;
    },
    reverseIdentify: async (id) => {
      const what = 'find names by an id';
      return asStrings(
        what,
        await attempt(what, E(powers).reverseIdentify(id)),
      );
    },
    list: async (path) => {
      const what = path.length === 0 ? 'list names' : `list ${shown(path)}`;
      return asStrings(what, await attempt(what, E(powers).list(...path)));
    },
    lookup: (path) =>
      attempt(`look up ${shown(path)}`, E(powers).lookup(nameOrPath(path))),
    remove: async (path) => {
      await attempt(`remove ${shown(path)}`, E(powers).remove(...path));
    },
    move: async (from, to) => {
      await attempt(
        `move ${shown(from)} to ${shown(to)}`,
        E(powers).move(harden([...from]), harden([...to])),
      );
    },
    copy: async (from, to) => {
      await attempt(
        `copy ${shown(from)} to ${shown(to)}`,
        E(powers).copy(harden([...from]), harden([...to])),
      );
    },
    makeDirectory: async (path) => {
      await attempt(
        `make the directory ${shown(path)}`,
        E(powers).makeDirectory(nameOrPath(path)),
      );
    },
    storeValue: async (value, path) => {
      await attempt(
        `store ${shown(path)}`,
        E(powers).storeValue(harden(value), nameOrPath(path)),
      );
    },
    followNameChanges: () =>
      makeFollowing('names', E(powers).followNameChanges(), readNameChange),
  });

const parcelArguments = (
  parcel: Parcel,
): [readonly string[], readonly string[], readonly NameOrPath[]] =>
  harden([
    [...parcel.strings],
    [...parcel.edgeNames],
    parcel.petNames.map(nameOrPath),
  ]);

const makeMailboxPort = (powers: Promise<GuestPowers>): Mailbox =>
  harden({
    listMessages: async () => {
      const what = 'list messages';
      const answer = await attempt(what, E(powers).listMessages());
      if (!Array.isArray(answer)) throw unexpected(what, 'a list');
      return harden(answer.map(readMail));
    },
    followMessages: () =>
      makeFollowing('messages', E(powers).followMessages(), readMail),
    send: async (to, parcel) => {
      await attempt(
        `send to ${shown(to)}`,
        E(powers).send(nameOrPath(to), ...parcelArguments(parcel)),
      );
    },
    reply: async (number, parcel) => {
      await attempt(
        `reply to message ${String(number)}`,
        E(powers).reply(number, ...parcelArguments(parcel)),
      );
    },
    adopt: async (number, edgeName, path) => {
      await attempt(
        `adopt ${JSON.stringify(edgeName)} of message ${String(number)} as ${shown(path)}`,
        E(powers).adopt(number, edgeName, nameOrPath(path)),
      );
    },
    dismiss: async (number) => {
      await attempt(
        `dismiss message ${String(number)}`,
        E(powers).dismiss(number),
      );
    },
    request: (to, description, responseName) =>
      attempt(
        `get what was requested of ${shown(to)}`,
        responseName === undefined
          ? E(powers).request(nameOrPath(to), description)
          : E(powers).request(
              nameOrPath(to),
              description,
              nameOrPath(responseName),
            ),
      ),
    resolve: async (number, path) => {
      await attempt(
        `answer request ${String(number)} with ${shown(path)}`,
        E(powers).resolve(number, nameOrPath(path)),
      );
    },
    reject: async (number, reason) => {
      await attempt(
        `reject request ${String(number)}`,
        reason === undefined
          ? E(powers).reject(number)
          : E(powers).reject(number, reason),
      );
    },
  });

const askIdentity = async ({ identify }: Directory): Promise<GuestIdentity> => {
  const [self, host, ...guarded] = await Promise.all(
    ['SELF', 'HOST', ...GUARDED_NAMES].map((name) => identify([name])),
  );
  if (self === undefined || host === undefined) {
    throw Error(
      'Cannot learn who this guest is: the daemon identifies no SELF or no HOST. Hob runs as a guest, not as a host.',
    );
  }
  return harden({
    self,
    host,
    guarded: guarded.filter((id) => id !== undefined),
    specialNames: SPECIAL_NAMES,
  });
};

/**
 * The guest port over a guest of generation A.
 *
 * @param powers - far reference to the guest, or a promise for one
 */
export const makeGenerationAGuest = (powers: unknown): Guest => {
  const remote = Promise.resolve(powers as GuestPowers);
  const directory = makeDirectoryPort(remote);
  let identity: Promise<GuestIdentity> | undefined;
  return harden({
    ...directory,
    ...makeMailboxPort(remote),
    help: async (method) => {
      const what = 'get help';
      const text = await attempt(
        what,
        method === undefined ? E(remote).help() : E(remote).help(method),
      );
      if (typeof text !== 'string') throw unexpected(what, 'a text');
      return text;
    },
    identity: () => {
      identity ??= askIdentity(directory).catch((error: unknown) => {
        // The next one to ask may have more luck.
        identity = undefined;
        throw error;
      });
      return identity;
    },
  });
};
harden(makeGenerationAGuest);
