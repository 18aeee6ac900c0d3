import { E } from '@endo/far';
import { findProvider } from './provider-choice.ts';
import type { Fetch, ProviderChoice } from './provider-choice.ts';
import { readSettings } from './settings.ts';
import type { Environment, Settings } from './settings.ts';
import { parseStoredConfig } from './stored-config.ts';
import type { StoredConfig } from './stored-config.ts';

type Path = string | readonly string[];

/** What setup uses of the host that it is given. */
export type SetupHost = {
  has: (...path: string[]) => Promise<boolean>;
  lookup: (nameOrPath: Path) => Promise<unknown>;
  remove: (...path: string[]) => Promise<void>;
  copy: (from: readonly string[], to: readonly string[]) => Promise<void>;
  cancel: (nameOrPath: Path, reason?: Error) => Promise<void>;
  provideGuest: (
    name: string,
    options: {
      readonly agentName: string;
      readonly introducedNames: Readonly<Record<string, string>>;
    },
  ) => Promise<unknown>;
  makeUnconfined: (
    workerName: string,
    specifier: string,
    options: {
      readonly powersName: string;
      readonly resultName: string;
      readonly env: Readonly<Record<string, string>>;
    },
  ) => Promise<unknown>;
};

type SetupGuest = {
  has: (...path: string[]) => Promise<boolean>;
  lookup: (nameOrPath: Path) => Promise<unknown>;
  storeValue: (value: unknown, nameOrPath: Path) => Promise<void>;
};

type SetupController = {
  help: () => Promise<string>;
  runsWith: (env: Readonly<Record<string, string>>) => Promise<boolean>;
};

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

type Place = {
  readonly host: SetupHost;
  readonly guest: SetupGuest;
  readonly stored: StoredConfig | undefined;
  readonly profileName: string;
  readonly controllerName: string;
};

/** The guest, as it is or newly made. */
const provideGuest = async (host: SetupHost, name: string): Promise<Place> => {
  const profileName = `profile-for-${name}`;
  const hasProfile = await E(host).has(profileName);
  if (!hasProfile && (await E(host).has(name))) {
    throw Error(
      `the name "${name}" stands for something that is no agent of ours; set HOB_NAME to another name`,
    );
  }
  await E(host).provideGuest(name, {
    agentName: profileName,
    introducedNames: harden({}),
  });
  // Some daemons hand out the guest's handle: the guest is what is named.
  const guest = (await E(host).lookup(profileName)) as SetupGuest;
  const stored = (await E(guest).has('lal-config'))
    ? parseStoredConfig(await E(guest).lookup('lal-config'))
    : undefined;
  return {
    host,
    guest,
    stored,
    profileName,
    controllerName: `controller-for-${name}`,
  };
};

/** A running controller; `undefined` when there is none, or it is broken. */
const runningController = async ({
  host,
  controllerName,
}: Place): Promise<SetupController | undefined> => {
  if (!(await E(host).has(controllerName))) return undefined;
  try {
    const controller = (await E(host).lookup(
      controllerName,
    )) as SetupController;
    await E(controller).help();
    return controller;
  } catch (error) {
    // It does not come up: it is made anew. What was wrong with it, if it
    // still is, shows then.
    if (error instanceof Error) return undefined;
    throw error;
  }
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

/** Ends what runs and takes it from every name. */
const endController = async ({
  host,
  controllerName,
}: Place): Promise<void> => {
  if (await E(host).has(controllerName)) {
    await E(host).cancel(controllerName, Error('set up again'));
    await E(host).remove(controllerName);
  }
  if (await E(host).has('PINS', controllerName)) {
    await E(host).remove('PINS', controllerName);
  }
};

const startController = async (
  { caplet }: SetupPowers,
  { host, profileName, controllerName }: Place,
  env: Readonly<Record<string, string>>,
): Promise<void> => {
  const controller = (await E(host).makeUnconfined('MAIN', caplet, {
    powersName: profileName,
    resultName: controllerName,
    env: harden({ ...env }),
  })) as SetupController;
  await E(controller).help();
  await E(host).copy([controllerName], ['PINS', controllerName]);
};

const isPinned = ({ host, controllerName }: Place): Promise<boolean> =>
  E(host).has('PINS', controllerName);

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
  const settings = readSettings(powers.env);
  const { name, given } = settings;
  const place = await provideGuest(host, name);
  const { guest, stored } = place;
  const choice = await chooseProvider(powers, settings, stored);
  const env = harden({
    ...given,
    LAL_HOST: choice.host,
    ...(choice.model === undefined ? {} : { LAL_MODEL: choice.model }),
    HOB_NAME: name,
  });
  const report = {
    name,
    host: choice.host,
    ...(choice.model === undefined ? {} : { model: choice.model }),
    ...(choice.note === undefined ? {} : { note: choice.note }),
  };

  const controller = await runningController(place);
  const sameProgram =
    stored?.caplet === powers.caplet && stored.host === choice.host;
  if (controller !== undefined && sameProgram) {
    const untouched = Object.keys(given).length === 0;
    if (untouched || (await E(controller).runsWith(env))) {
      if (!(await isPinned(place))) {
        await E(host).copy(
          [place.controllerName],
          ['PINS', place.controllerName],
        );
      }
      return harden({ outcome: 'unchanged', ...report });
    }
  }

  assertToken(settings, choice, stored);
  await endController(place);
  await E(guest).storeValue(
    harden({
      host: choice.host,
      ...(choice.model === undefined ? {} : { model: choice.model }),
      by: choice.by,
      hasToken: given['LAL_AUTH_TOKEN'] !== undefined,
      caplet: powers.caplet,
    } satisfies StoredConfig),
    'lal-config',
  );
  await startController(powers, place, {
    ...env,
    HOB_PROVISION: powers.randomId(),
  });
  const outcome = stored === undefined ? 'made' : 'reconfigured';
  return harden({ outcome, ...report });
};
harden(provisionAgent);
