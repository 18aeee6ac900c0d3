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
import { findProvider, hostOfProvider } from './provider-choice.ts';
import type { Fetch, ProviderChoice } from './provider-choice.ts';
import { readSettings } from './settings.ts';
import {
  assertKeepable,
  explainToken,
  forgetToken,
  KEPT,
  keepsToken,
  TOKEN,
} from './token.ts';
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
  /** URL of the caplet that it ran before, when that was another one. */
  readonly before?: string;
};

const chooseProvider = async (
  { fetch }: SetupPowers,
  { given, unset }: Settings,
  stored: StoredConfig | undefined,
): Promise<ProviderChoice> => {
  const { LAL_MODEL: wanted, LAL_PROVIDER: provider } = given;
  const isOpen =
    stored === undefined ||
    stored.by === 'default' ||
    unset.includes('LAL_HOST');
  // What was found is nobody's choice, and speaks one wire.
  const isFree = isOpen || stored.by === 'found';
  const host =
    given['LAL_HOST'] ??
    (isFree && provider !== undefined ? hostOfProvider(provider) : undefined);
  if (host !== undefined) {
    return harden({
      host,
      ...(wanted === undefined ? {} : { model: wanted }),
      by: 'setting',
    });
  }
  if (isOpen) {
    return findProvider(fetch, wanted);
  }
  const model =
    wanted ?? (unset.includes('LAL_MODEL') ? undefined : stored.model);
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
  const isElsewhere =
    given['LAL_HOST'] !== undefined || unset.includes('LAL_HOST');
  const dropped = isElsewhere ? [...unset, 'LAL_PROVIDER'] : unset;
  const kept = Object.entries(stored?.settings ?? {}).filter(
    ([name]) => !dropped.includes(name),
  );
  return { ...Object.fromEntries(kept), ...given };
};

const isSameRecord = (
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean =>
  JSON.stringify(Object.entries(one).sort()) ===
  JSON.stringify(Object.entries(other).sort());

/** How an agent is to run. */
type Wanted = {
  readonly settings: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly keeps: boolean;
};

/** Whether the agent that runs is the one that is asked for. */
const isAsWanted = async (
  controller: SetupController | undefined,
  { caplet }: SetupPowers,
  { given, unset }: Settings,
  { stored }: Place,
  { settings, env, keeps }: Wanted,
): Promise<boolean> => {
  if (controller === undefined) return false;
  if (stored?.caplet !== caplet || stored.host !== env['LAL_HOST'])
    return false;
  const asksNothing = Object.keys(given).length + unset.length === 0;
  if (asksNothing) return true;
  if (!keeps) return E(controller).runsWith(env);
  // Without its token, what it runs with is told by what was noted.
  return (
    stored.model === env['LAL_MODEL'] &&
    isSameRecord(stored.settings, withoutMind(settings))
  );
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
  const moved =
    stored !== undefined && stored.caplet !== '' && stored.caplet !== caplet;
  const report = {
    name,
    ...mind,
    ...(note === undefined ? {} : { note }),
    ...(moved ? { before: stored.caplet } : {}),
  };
  const keeps = keepsToken(settings, choice, stored);

  const controller = await runningController(place);
  const plan = { settings: wanted, env, keeps };
  if (await isAsWanted(controller, powers, settings, place, plan)) {
    await pinController(place);
    return harden({ outcome: 'unchanged', ...report });
  }
  if (keeps) await assertKeepable(place);
  const HOB_PROVISION = powers.randomId();
  // Under another name, so that the old one answers on if these settings are
  // refused. It is paused meanwhile: two would share a worker.
  const candidate = { ...place, controllerName: `new-hob-for-${name}` };
  await endController(candidate);
  await pauseController(place);
  try {
    await startController(place, candidate, {
      caplet,
      env: { ...env, HOB_PROVISION },
      keep: keeps ? KEPT : [],
    });
  } catch (error) {
    await endController(candidate);
    await resumeController(place);
    throw explainToken(name, error);
  }
  await forgetToken(place, choice);
  await replaceController(place, candidate);
  // Last: settings that the agent refused are not what it runs with.
  const hasToken = keeps || given[TOKEN] !== undefined;
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
