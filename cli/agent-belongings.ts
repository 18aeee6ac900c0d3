import { E } from '@endo/far';
import { CliError } from './cli-error.ts';
import { isDecision, isOpen } from './decisions.ts';
import { listMail } from './mail.ts';
import { kindInWords, typeNamed } from './names.ts';
import type { RemoteAgent } from './remote.ts';
import { visibleLine } from './visible.ts';

/** All that goes with an agent of that name, and what still keeps it. */
export type Belongings = {
  /** Names of the host's that are taken away, the pinned one as a path. */
  readonly names: readonly (readonly string[])[];
  readonly controllerName: string | undefined;
  readonly conversations: number;
  readonly values: number;
  /** Numbers of the host's messages with it that are not decided. */
  readonly open: readonly bigint[];
  /** Other names of the host's for the agent: it stays while there are any. */
  readonly otherNames: readonly string[];
};

const BOOKKEEPING = /^(?:transcript|summary|hob|proposal)-|^lal-config$/u;

const existing = async (
  host: RemoteAgent,
  paths: readonly (readonly string[])[],
): Promise<readonly (readonly string[])[]> => {
  const known = await Promise.all(paths.map((path) => E(host).has(...path)));
  return paths.filter((_, i) => known[i]);
};

const assertGuest = async (
  host: RemoteAgent,
  profileName: string,
): Promise<void> => {
  const type = await typeNamed(host, [profileName]);
  if (type === undefined || type === 'guest') return;
  throw new CliError(
    `${visibleLine(profileName)} is no agent's guest but ${kindInWords(type)}; nothing was changed`,
  );
};

/** The address of that guest, and no other value that has the name. */
const handleName = async (
  host: RemoteAgent,
  name: string,
  profileName: string,
): Promise<readonly string[]> => {
  const id = await E(host).identify(name);
  if (id === undefined) return [];
  const own = (await E(host).has(profileName))
    ? await E(host).identify(profileName, 'SELF')
    : undefined;
  return id === own ? [name] : [];
};

const otherNamesOf = async (
  host: RemoteAgent,
  names: readonly (readonly string[])[],
  ids: readonly (string | undefined)[],
): Promise<readonly string[]> => {
  const going = new Set(names.map((path) => path.join('/')));
  const found = await Promise.all(
    ids
      .filter((id) => id !== undefined)
      .map((id) => E(host).reverseIdentify(id)),
  );
  return [...new Set(found.flat())].filter((name) => !going.has(name));
};

/** Looks at what `agent remove` would take away. Changes nothing. */
export const findBelongings = async (
  host: RemoteAgent,
  name: string,
): Promise<Belongings> => {
  const profileName = `profile-for-${name}`;
  const controllerName = `controller-for-${name}`;
  await assertGuest(host, profileName);
  const handle = await handleName(host, name, profileName);
  const names = await existing(host, [
    ['PINS', controllerName],
    // Of a setup that was broken off.
    [`new-hob-for-${name}`],
    [controllerName],
    [profileName],
    ...handle.map((each) => [each]),
  ]);
  if (names.length === 0) {
    throw new CliError(
      `there is no agent "${visibleLine(name)}"; "agents" lists them`,
    );
  }
  const has = (wanted: string): boolean =>
    names.some(
      ([first = '', second]) => second === undefined && first === wanted,
    );
  const inside = has(profileName) ? await E(host).list(profileName) : [];
  const own = inside.filter((each) => /^[a-z0-9]/u.test(each));
  const idOf = (...path: string[]): Promise<string | undefined> =>
    names.some(([first]) => first === path[0])
      ? E(host).identify(...path)
      : Promise.resolve(undefined);
  const [address, ...ids] = await Promise.all([
    idOf(profileName, 'SELF'),
    idOf(profileName),
    idOf(controllerName),
  ]);
  const messages = (await listMail(host)).filter(
    (message) => isDecision(message) && isOpen(message),
  );
  return {
    names,
    controllerName: has(controllerName) ? controllerName : undefined,
    conversations: own.filter((each) => /^transcript-[0-9a-f]+$/u.test(each))
      .length,
    values: own.filter((each) => !BOOKKEEPING.test(each)).length,
    open: messages
      .filter(({ from, to }) => from === address || to === address)
      .map(({ number }) => number),
    otherNames: await otherNamesOf(host, names, [address, ...ids]),
  };
};
harden(findBelongings);
