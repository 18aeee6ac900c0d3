import { E } from '@endo/far';
import {
  endController,
  pinController,
  provideGuest,
  runningController,
  startController,
} from './controller.ts';
import type { Place, SetupController, SetupHost } from './controller.ts';
import { findProvider } from './provider-choice.ts';
import type { Fetch, ProviderChoice } from './provider-choice.ts';
import { readSettings } from './settings.ts';
import type { Environment, Settings } from './settings.ts';
import type { StoredConfig } from './stored-config.ts';

export type SetupPowers = {
  readonly env: Environment;
  readonly fetch: Fetch;
  /** URL of the agent's caplet. */
  readonly caplet: string;
  readonly randomId: () => string;
};

/** What setup did, for the person. */
export type Provisioned = {
  readonly outcome: 'made' | 'reconfigured' | 'unchanged';
  readonly name: string;
  readonly host: string;
  readonly model?: string;
  readonly note?: string;
};

const chooseProvider = async (
  { fetch }: SetupPowers,
  { given }: Settings,
  stored: StoredConfig | undefined,
): Promise<ProviderChoice> => {
  const { LAL_HOST: host, LAL_MODEL: wanted } = given;
  if (host !== undefined) {
    return harden({
      host,
      ...(wanted === undefined ? {} : { model: wanted }),
      by: 'setting',
    });
  }
  if (stored === undefined || stored.by === 'default') {
    return findProvider(fetch, wanted);
  }
  const model = wanted ?? stored.model;
  return harden({
    host: stored.host,
    ...(model === undefined ? {} : { model }),
    by: stored.by,
  });
};

/** The token cannot be read back from anywhere, and must not be lost. */
const assertToken = (
  { name, given }: Settings,
  choice: ProviderChoice,
  stored: StoredConfig | undefined,
): void => {
  if (given['LAL_AUTH_TOKEN'] !== undefined) return;
  if (stored?.hasToken !== true || stored.host !== choice.host) return;
  throw Error(
    `"${name}" has to be started anew, and its token is kept nowhere that it could be read from; set LAL_AUTH_TOKEN again (or another LAL_HOST)`,
  );
};

/** Whether the agent that runs is the one that is asked for. */
const isAsWanted = async (
  controller: SetupController | undefined,
  { caplet }: SetupPowers,
  { given }: Settings,
  { stored }: Place,
  env: Readonly<Record<string, string>>,
): Promise<boolean> => {
  if (controller === undefined) return false;
  if (stored?.caplet !== caplet || stored.host !== env['LAL_HOST'])
    return false;
  const asksNothing = Object.keys(given).length === 0;
  return asksNothing || E(controller).runsWith(env);
};

/**
 * Makes the agent, or brings it to these settings. With no settings at all, an
 * agent that runs is left as it is.
 *
 * @throws Error that names the variable to set, before anything is changed
 */
export const provisionAgent = async (
  host: SetupHost,
  powers: SetupPowers,
): Promise<Provisioned> => {
  const { caplet } = powers;
  const settings = readSettings(powers.env);
  const { name, given } = settings;
  const place = await provideGuest(host, name);
  const { stored } = place;
  const choice = await chooseProvider(powers, settings, stored);
  const { note, by, ...mind } = choice;
  const env = harden({
    ...given,
    LAL_HOST: choice.host,
    ...(choice.model === undefined ? {} : { LAL_MODEL: choice.model }),
    HOB_NAME: name,
  });
  const report = { name, ...mind, ...(note === undefined ? {} : { note }) };

  const controller = await runningController(place);
  if (await isAsWanted(controller, powers, settings, place, env)) {
    await pinController(place);
    return harden({ outcome: 'unchanged', ...report });
  }
  assertToken(settings, choice, stored);
  await endController(place);
  const HOB_PROVISION = powers.randomId();
  await startController(place, caplet, { ...env, HOB_PROVISION });
  // Last: settings that the agent refused are not what it runs with.
  const hasToken = given['LAL_AUTH_TOKEN'] !== undefined;
  const record: StoredConfig = harden({ ...mind, by, hasToken, caplet });
  await E(place.guest).storeValue(record, 'lal-config');
  const outcome = stored === undefined ? 'made' : 'reconfigured';
  return harden({ outcome, ...report });
};
harden(provisionAgent);
