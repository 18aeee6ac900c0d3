import { E } from '@endo/far';
import { parseStoredConfig } from './stored-config.ts';
import type { StoredConfig } from './stored-config.ts';

/** The daemon's side of an agent: its guest, its controller, its pin. */

type Path = string | readonly string[];

/** What setup uses of the host that it is given. */
export type SetupHost = {
  has: (...path: string[]) => Promise<boolean>;
  list: (...path: string[]) => Promise<readonly string[]>;
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
  /** The embedded daemon has it, Endo's do not. */
  remakeUnconfined: (
    name: string,
    specifier: string,
    options: {
      readonly resultName: string;
      readonly env: Readonly<Record<string, string>>;
      readonly keep: readonly string[];
    },
  ) => Promise<unknown>;
  __getMethodNames__: () => Promise<readonly string[]>;
};

export type SetupGuest = {
  has: (...path: string[]) => Promise<boolean>;
  lookup: (nameOrPath: Path) => Promise<unknown>;
  storeValue: (value: unknown, nameOrPath: Path) => Promise<void>;
};

export type SetupController = {
  help: () => Promise<string>;
  /** Resolves when the agent follows its mail; rejects when it cannot. */
  whenReady: () => Promise<void>;
  runsWith: (env: Readonly<Record<string, string>>) => Promise<boolean>;
};

export type Place = {
  readonly name: string;
  readonly host: SetupHost;
  readonly guest: SetupGuest;
  readonly stored: StoredConfig | undefined;
  readonly profileName: string;
  readonly controllerName: string;
};

/** The guest, as it is or newly made. */
export const provideGuest = async (
  host: SetupHost,
  name: string,
): Promise<Place> => {
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
    name,
    host,
    guest,
    stored,
    profileName,
    controllerName: `controller-for-${name}`,
  };
};
harden(provideGuest);

/** A running controller; `undefined` when there is none, or it is broken. */
export const runningController = async ({
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
harden(runningController);

/** Ends what runs and takes it from every name. */
export const endController = async ({
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
harden(endController);

/** Has the agent come back when the daemon does. */
export const pinController = async ({
  host,
  controllerName,
}: Place): Promise<void> => {
  if (await E(host).has('PINS', controllerName)) return;
  await E(host).copy([controllerName], ['PINS', controllerName]);
};
harden(pinController);

/** The program that is to run, and with what. */
export type Start = {
  readonly caplet: string;
  readonly env: Readonly<Record<string, string>>;
  /** Variables whose values only the controller that is there has. */
  readonly keep: readonly string[];
};

/**
 * Makes the candidate for the place of the controller that is there.
 * Rejects with what the agent says against its settings.
 */
export const startController = async (
  { controllerName: before }: Place,
  { host, profileName, controllerName }: Place,
  { caplet, env, keep }: Start,
): Promise<void> => {
  const shared = { resultName: controllerName, env: harden({ ...env }) };
  const controller = (await (keep.length === 0
    ? E(host).makeUnconfined('MAIN', caplet, {
        powersName: profileName,
        ...shared,
      })
    : E(host).remakeUnconfined(before, caplet, {
        ...shared,
        keep: harden([...keep]),
      }))) as SetupController;
  await E(controller).whenReady();
};
harden(startController);

/** Whether a new controller can have values that only the old one has. */
export const canKeep = async ({
  host,
  controllerName,
}: Place): Promise<boolean> => {
  if (!(await E(host).has(controllerName))) return false;
  const methods = await E(host).__getMethodNames__();
  return methods.includes('remakeUnconfined');
};
harden(canKeep);

/** Ends what runs, and leaves it where `resumeController` finds it. */
export const pauseController = async ({
  host,
  controllerName,
}: Place): Promise<void> => {
  if (!(await E(host).has(controllerName))) return;
  await E(host).cancel(controllerName, Error('set up again'));
};
harden(pauseController);

/** Has the one that was paused run again. */
export const resumeController = async ({
  host,
  controllerName,
}: Place): Promise<void> => {
  if (!(await E(host).has(controllerName))) return;
  try {
    await E(host).lookup(controllerName);
  } catch (error) {
    // It did not run before, either: why the new one failed is what matters.
    if (!(error instanceof Error)) throw error;
  }
};
harden(resumeController);

/** The new one runs: it takes the old one's name and pin. */
export const replaceController = async (
  place: Place,
  candidate: Place,
): Promise<void> => {
  await endController(place);
  const { host, controllerName } = place;
  await E(host).copy([candidate.controllerName], [controllerName]);
  await pinController(place);
  await E(host).remove(candidate.controllerName);
};
harden(replaceController);
