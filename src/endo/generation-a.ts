import { E } from '@endo/far';
import { attempt, unexpected } from './attempt.ts';
import { makeDirectoryPort } from './generation-a-directory.ts';
import { makeMailboxPort } from './generation-a-mailbox.ts';
import type { GuestPowers } from './generation-a-powers.ts';
import type { Directory, Guest, GuestIdentity } from './guest.ts';

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
