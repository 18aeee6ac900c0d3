import type { Mail, NamePath } from '../../src/endo/guest.ts';
import type { AdmittedPath } from '../../src/endo/name-gate.ts';
import type {
  AdmittedParcel,
  TurnPowers,
} from '../../src/guest-tools/turn-powers.ts';

type Sent = {
  readonly to: NamePath | bigint;
  readonly parcel: AdmittedParcel;
};

type Proposal = Parameters<TurnPowers['asking']['propose']>[0];

/** Marks a directory among the values of the fake. */
const DIRECTORY = harden({ directory: true });

/**
 * The powers of a turn, in memory: a flat map of `a/b` to values, a gate that
 * refuses whatever begins with `AGENT` or is `hob-…`, and a record of all that
 * was changed.
 */
export const makeFakeTurnPowers = (mailbox: readonly Mail[] = []) => {
  const values = new Map<string, unknown>();
  const ids = new Map<string, string>();
  const changes: string[] = [];
  const sent: Sent[] = [];
  const proposals: Proposal[] = [];
  /** Names that the outcomes of open things will have. */
  const promised = new Set<string>();
  const key = (path: NamePath): string => path.join('/');
  let count = 0;

  const bind = (path: NamePath, value: unknown, id?: string): void => {
    count += 1;
    values.set(key(path), value);
    ids.set(key(path), id ?? `id-${count}`);
  };
  const valueAt = (path: NamePath): unknown => {
    if (!values.has(key(path))) throw Error(`Unknown pet name ${key(path)}`);
    return values.get(key(path));
  };
  const note = (change: string): void => {
    changes.push(change);
  };
  const drop = (path: NamePath): void => {
    values.delete(key(path));
    ids.delete(key(path));
  };
  const notUsed = (): never => {
    throw Error('No tool of this set uses it');
  };

  const powers: TurnPowers = {
    directory: {
      has: (path) => Promise.resolve(values.has(key(path))),
      identify: (path) => Promise.resolve(ids.get(key(path))),
      locate: notUsed,
      reverseIdentify: notUsed,
      followNameChanges: notUsed,
      lookupById: notUsed,
      list: async (path) => {
        if (path.length > 0 && valueAt(path) !== DIRECTORY) {
          throw Error(`${key(path)} is no directory`);
        }
        const prefix = path.length === 0 ? '' : `${key(path)}/`;
        return Promise.resolve(
          [...values.keys()]
            .filter((each) => each.startsWith(prefix))
            .map((each) => each.slice(prefix.length))
            .filter((each) => !each.includes('/')),
        );
      },
      // An async function, so that a missing name is a rejection.
      // eslint-disable-next-line @typescript-eslint/require-await
      lookup: async (path) => valueAt(path),
      remove: async (path) => {
        note(`remove ${key(path)}`);
        drop(path);
        return Promise.resolve();
      },
      move: async (from, to) => {
        note(`move ${key(from)} ${key(to)}`);
        bind(to, valueAt(from), ids.get(key(from)));
        drop(from);
        return Promise.resolve();
      },
      copy: async (from, to) => {
        note(`copy ${key(from)} ${key(to)}`);
        bind(to, valueAt(from), ids.get(key(from)));
        return Promise.resolve();
      },
      makeDirectory: async (path) => {
        note(`makeDirectory ${key(path)}`);
        bind(path, DIRECTORY);
        return Promise.resolve();
      },
      storeValue: async (value, path) => {
        note(`store ${key(path)}`);
        bind(path, value);
        return Promise.resolve();
      },
    },
    mail: {
      list: () => Promise.resolve(mailbox),
      send: async (to, parcel) => {
        sent.push({ to, parcel });
        return Promise.resolve();
      },
      reply: async (to, parcel) => {
        sent.push({ to, parcel });
        return Promise.resolve();
      },
      adopt: async (number, edgeName, path, { replace }) => {
        note(`adopt ${number} ${edgeName} ${key(path)} ${replace}`);
        return Promise.resolve(['from-bob', ...path]);
      },
      dismiss: async (number) => {
        note(`dismiss ${number}`);
        return Promise.resolve(number === 9n ? 'deferred' : 'dismissed');
      },
      resolve: async (number, path) => {
        note(`resolve ${number} ${key(path)}`);
        return Promise.resolve();
      },
      reject: async (number, reason) => {
        note(`reject ${number} ${reason}`);
        return Promise.resolve();
      },
    },
    asking: {
      propose: async (proposal) => {
        note('propose');
        proposals.push(proposal);
        return Promise.resolve({ number: 12n });
      },
      request: async (to, description, responseName) => {
        note(`request ${key(to)} ${key(responseName)} ${description}`);
        return Promise.resolve({ number: 13n });
      },
      isPromised: (path) => promised.has(key(path)),
    },
    toolbox: { adopt: notUsed },
    names: {
      admit: async (nameOrPath) => {
        const path = nameOrPath as readonly string[];
        if (path.some((each) => /^(?:AGENT|hob-)/u.test(each))) {
          throw Error(`${key(path)} is closed to you`);
        }
        return Promise.resolve(path as AdmittedPath);
      },
      isHidden: (name) => /^(?:AGENT|hob-)/u.test(name),
    },
    describe: (id) =>
      Promise.resolve(id === 'id-host' ? 'HOST' : `unknown-${id}`),
    help: (method) =>
      Promise.resolve(method === undefined ? 'all help' : `help on ${method}`),
  };
  return {
    powers: harden(powers),
    ...{ bind, values, changes, sent, proposals, promised },
  };
};
