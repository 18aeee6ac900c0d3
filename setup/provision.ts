import { E } from '@endo/far';
import {
  endController,
  pauseController,
  pinController,
  provideGuest,
  replaceController,
  resumeController,
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

/** Kept apart from the other settings, or not at all. */
const MIND: readonly string[] = ['LAL_HOST', 'LAL_MODEL', 'LAL_AUTH_TOKEN'];

/** The settings that are not about which model it is, and no secret. */
const withoutMind = (
  settings: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(settings).filter(([name]) => !MIND.includes(name)),
  );

/** What was set before holds until it is set to something else, or to ''. */
const withStored = (
  { given, unset }: Settings,
  stored: StoredConfig | undefined,
): Readonly<Record<string, string>> => {
  // Another host is another provider, unless told.
  const dropped =
    given['LAL_HOST'] === undefined ? unset : [...unset, 'LAL_PROVIDER'];
  const kept = Object.entries(stored?.settings ?? {}).filter(
    ([name]) => !dropped.includes(name),
  );
  return { ...Object.fromEntries(kept), ...given };
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
  { given, unset }: Settings,
  { stored }: Place,
  env: Readonly<Record<string, string>>,
): Promise<boolean> => {
  if (controller === undefined) return false;
  if (stored?.caplet !== caplet || stored.host !== env['LAL_HOST'])
    return false;
  const asksNothing = Object.keys(given).length + unset.length === 0;
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
  const wanted = withStored(settings, stored);
  const choice = await chooseProvider(powers, settings, stored);
  const { note, by, ...mind } = choice;
  const env = harden({
    ...wanted,
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
  const HOB_PROVISION = powers.randomId();
  // Under another name, so that the old one answers on if these settings are
  // refused. It is paused meanwhile: two would share a worker.
  const candidate = { ...place, controllerName: `new-hob-for-${name}` };
  await endController(candidate);
  await pauseController(place);
  try {
    await startController(candidate, caplet, { ...env, HOB_PROVISION });
  } catch (error) {
    await endController(candidate);
    await resumeController(place);
    throw error;
  }
  await replaceController(place, candidate);
  // Last: settings that the agent refused are not what it runs with.
  const hasToken = given['LAL_AUTH_TOKEN'] !== undefined;
  const record: StoredConfig = harden({
    ...mind,
    by,
    hasToken,
    settings: withoutMind(wanted),
    caplet,
  });
  await E(place.guest).storeValue(record, 'lal-config');
  const outcome = stored === undefined ? 'made' : 'reconfigured';
  return harden({ outcome, ...report });
};
harden(provisionAgent);
