import { E } from '@endo/far';
import { asStrings, attempt, unexpected } from './attempt.ts';
import { makeDirectoryPort } from './generation-a-directory.ts';
import { makeMailboxPort } from './generation-a-mailbox.ts';
import type { GuestPowers } from './generation-a-powers.ts';
import type { Directory, Guarantees, Guest, GuestIdentity } from './guest.ts';

const SPECIAL_NAMES = harden(['AGENT', 'HOST', 'KEYPAIR', 'MAIL', 'SELF']);
const GUARDED_NAMES = harden(['AGENT', 'KEYPAIR', 'MAIL']);

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

const NO_GUARANTEES: Guarantees = harden({
  mail: 'unknown',
  grants: 'unknown',
});

/** Endo's daemon has no such method: it promises nothing, and fails at nothing. */
const askGuarantees = async (
  powers: Promise<GuestPowers>,
): Promise<Guarantees> => {
  const what = 'ask what the daemon guarantees';
  const methods = await attempt(what, E(powers).__getMethodNames__());
  if (!asStrings(what, methods).includes('guarantees')) return NO_GUARANTEES;
  const { mail, grants } = (await attempt(what, E(powers).guarantees())) as {
    readonly mail?: unknown;
    readonly grants?: unknown;
  };
  return harden({
    mail: mail === 'exactly-once' ? mail : 'unknown',
    grants: grants === 'at-most-once' ? grants : 'unknown',
  });
};

/** Asks once; again only when that has failed: the next one may have more luck. */
const once = <T>(ask: () => Promise<T>): (() => Promise<T>) => {
  let answer: Promise<T> | undefined;
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
};

/**
 * The guest port over a guest of generation A.
 *
 * @param powers - far reference to the guest, or a promise for one
 */
export const makeGenerationAGuest = (powers: unknown): Guest => {
  const remote = Promise.resolve(powers as GuestPowers);
  const directory = makeDirectoryPort(remote);
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
    identity: once(() => askIdentity(directory)),
    guarantees: once(() => askGuarantees(remote)),
  });
};
harden(makeGenerationAGuest);
