import { E } from '@endo/far';
import { makeGenerationAGuest } from './generation-a.ts';
import type { Guest } from './guest.ts';
import { reasonText } from './reason-text.ts';

/** What a guest of a later generation answers to. */
type LaterPowers = { readonly locate: (name: string) => Promise<unknown> };

const isLaterGeneration = async (
  powers: Promise<unknown>,
): Promise<boolean> => {
  const located = await E(powers as Promise<LaterPowers>).locate('@self');
  return typeof located === 'string';
};

const SUPPORTED = 'its own, or Endo of February 2026';

/**
 * The guest port over whatever daemon the guest lives on. The one place that
 * tells generations of the daemon apart: by who the guest says it is.
 *
 * @param powers - far reference to the guest, or a promise for one
 * @throws Error that says which daemon was found and which Hob supports
 */
export const connectGuest = async (powers: unknown): Promise<Guest> => {
  const remote = Promise.resolve(powers);
  const guest = makeGenerationAGuest(remote);
  try {
    await guest.identity();
    return guest;
  } catch (error) {
    // When this call fails as well, only a guess of the daemon's age is lost.
    const later = await isLaterGeneration(remote).catch(() => false);
    throw Error(
      later
        ? `This daemon calls its special names "@self" and "@host" (Endo of April 2026 or later). This version of Hob supports the generation with "SELF" and "HOST" (${SUPPORTED}).`
        : `These powers are not a guest of a daemon that Hob supports (${SUPPORTED}): ${reasonText(error)}`,
      { cause: error },
    );
  }
};
harden(connectGuest);
