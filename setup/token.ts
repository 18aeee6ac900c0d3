import { E } from '@endo/far';
import { canKeep } from './controller.ts';
import type { Place } from './controller.ts';
import type { ProviderChoice } from './provider-choice.ts';
import type { Settings } from './settings.ts';
import type { StoredConfig } from './stored-config.ts';

/**
 * The token of an agent lies in its controller alone, and is never read back:
 * the daemon can hand it on to the next controller, unseen.
 */
export const TOKEN = 'LAL_AUTH_TOKEN';
harden(TOKEN);

/**
 * What is handed on with it: the guest can write `lal-config`, and must not say
 * which host gets the token.
 */
export const KEPT: readonly string[] = harden([TOKEN, 'LAL_HOST']);
harden(KEPT);

/** Whether the token that the agent has is to stay. It is for one host only. */
export const keepsToken = (
  { given, unset }: Settings,
  choice: ProviderChoice,
  stored: StoredConfig | undefined,
): boolean =>
  given[TOKEN] === undefined &&
  !unset.includes(TOKEN) &&
  stored?.hasToken === true &&
  stored.host === choice.host;
harden(keepsToken);

const lost = (name: string, cause?: unknown): Error =>
  Error(
    `"${name}" has to be started anew, and its token is kept nowhere that it could be read from; set LAL_AUTH_TOKEN again (or another LAL_HOST)`,
    { cause },
  );

/** What a person is told of a controller that has no token to hand on. */
export const explainToken = (name: string, error: unknown): unknown =>
  error instanceof Error && error.message.includes('that could be kept')
    ? lost(name, error)
    : error;
harden(explainToken);

/** Throws where the daemon cannot hand it on: it must not be lost. */
export const assertKeepable = async (place: Place): Promise<void> => {
  if (await canKeep(place)) return;
  throw lost(place.name);
};
harden(assertKeepable);

/**
 * To be called before a controller with another host takes over. Should setup
 * end before it has noted the new host, the new token would look like one for
 * the old host.
 */
export const forgetToken = async (
  { guest, stored }: Place,
  choice: ProviderChoice,
): Promise<void> => {
  if (stored?.hasToken !== true || stored.host === choice.host) return;
  const record: StoredConfig = harden({ ...stored, hasToken: false });
  await E(guest).storeValue(record, 'lal-config');
};
harden(forgetToken);
