import { E } from '@endo/far';
import { makeGenerationAGuest } from './generation-a.ts';
import type { Guest } from './guest.ts';
import { reasonText } from './reason-text.ts';

/** What Hob asks of powers before it knows whose they are. */
type UnknownPowers = {
  readonly identify: (name: string) => Promise<unknown>;
  readonly locate: (name: string) => Promise<unknown>;
};

const speaksOfSelf = async (powers: Promise<unknown>): Promise<boolean> => {
  const located = await E(powers as Promise<UnknownPowers>).locate('@self');
  return typeof located === 'string';
};

/**
 * The guest port over whatever daemon the guest lives on. The one place that
 * tells generations of the daemon apart.
 *
 * @param powers - far reference to the guest, or a promise for one
 * @throws Error that says which daemon was found and which Hob supports
 */
export const connectGuest = async (powers: unknown): Promise<Guest> => {
  const remote = Promise.resolve(powers);
  let reason: unknown;
  try {
    const self = await E(remote as Promise<UnknownPowers>).identify('SELF');
    if (typeof self === 'string') {
      const guest = makeGenerationAGuest(remote);
      await guest.identity();
      return guest;
    }
  } catch (error) {
    reason = error;
  }
  // Only a guess of the daemon's age is lost when this call fails as well.
  const later = await speaksOfSelf(remote).catch(() => false);
  if (later) {
    throw Error(
      'This daemon calls its special names "@self" and "@host" (an Endo daemon of April 2026 or later). This version of Hob supports the generation with "SELF" and "HOST": its own daemon, and Endo of February 2026.',
    );
  }
  throw Error(
    `These powers are not a guest of a daemon that Hob supports (its own, or Endo of February 2026)${
      reason === undefined
        ? ': they identify no "SELF"'
        : `: ${reasonText(reason)}`
    }`,
    { cause: reason },
  );
};
harden(connectGuest);
