import { E } from '@endo/far';
import { reasonOf } from './cli-error.ts';
import { listMail } from './mail.ts';
import { typeNamed } from './names.ts';
import { openDecisions } from './open-decisions.ts';
import type { CliPowers } from './powers.ts';
import type {
  ControllerStatus,
  RemoteAgent,
  RemoteController,
} from './remote.ts';
import { withPatience } from './session.ts';

const PROFILE = 'profile-for-';
const CONTROLLER = 'controller-for-';

/** A dead agent must not hold up what is said of the others. */
const PATIENCE_MS = 5_000;

export type AgentState =
  'ready' | 'working' | 'dead' | 'file-gone' | 'no-controller';

export type AgentReport = {
  readonly name: string;
  readonly state: AgentState;
  /** Why it is not ready, in words. */
  readonly reason?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly openTurns: bigint;
  /** Messages of it that wait for a decision of the host's. */
  readonly openDecisions: bigint;
  readonly tokens?: ControllerStatus['tokens'];
};

/** Names that agents of ours have, by what their profiles are called. */
const agentNames = async (host: RemoteAgent): Promise<readonly string[]> => {
  const names = await E(host).list();
  const found = names.flatMap((name) =>
    [PROFILE, CONTROLLER].flatMap((prefix) =>
      name.startsWith(prefix) ? [name.slice(prefix.length)] : [],
    ),
  );
  return [...new Set(found)].sort();
};

type StoredConfig = { readonly [key: string]: unknown };

/** What setup noted in the guest; nothing for other guests. */
const storedConfig = async (
  host: RemoteAgent,
  name: string,
): Promise<StoredConfig> => {
  const path = [`${PROFILE}${name}`, 'lal-config'];
  if (!(await E(host).has(...path))) return {};
  const value = await E(host).lookup(path);
  return typeof value === 'object' && value !== null
    ? (value as StoredConfig)
    : {};
};

const textIn = (config: StoredConfig, key: string): string | undefined => {
  const value = config[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const statusOf = async (
  host: RemoteAgent,
  name: string,
): Promise<ControllerStatus> => {
  const controller = (await E(host).lookup(
    `${CONTROLLER}${name}`,
  )) as RemoteController;
  return E(controller).status();
};

type Shape = Omit<AgentReport, 'name' | 'openDecisions'>;

/** What is known of an agent that does not answer. */
const silent = (
  state: AgentState,
  reason: string,
  config: StoredConfig,
): Shape => {
  const model = textIn(config, 'model') ?? textIn(config, 'host');
  return {
    state,
    reason,
    ...(model === undefined ? {} : { model }),
    openTurns: 0n,
  };
};

/** The file that the caplet was made of, when it is no longer there. */
const missingFile = async (
  { files }: CliPowers,
  config: StoredConfig,
): Promise<string | undefined> => {
  const caplet = textIn(config, 'caplet');
  if (caplet?.startsWith('file:') !== true) return undefined;
  return (await files.findFile(caplet)) === undefined ? caplet : undefined;
};

/** The same, by the name of the agent. */
export const missingFileOf = async (
  powers: CliPowers,
  host: RemoteAgent,
  name: string,
): Promise<string | undefined> =>
  missingFile(powers, await storedConfig(host, name));
harden(missingFileOf);

const examine = async (
  powers: CliPowers,
  host: RemoteAgent,
  name: string,
): Promise<Shape> => {
  const config = await storedConfig(host, name);
  if (!(await E(host).has(`${CONTROLLER}${name}`))) {
    return silent('no-controller', 'nothing acts for this guest', config);
  }
  const gone = await missingFile(powers, config);
  const goneText = gone === undefined ? '' : `its file ${gone} is gone`;
  try {
    const { provider, model, openTurns, tokens } = await withPatience(
      powers,
      'status',
      statusOf(host, name),
      PATIENCE_MS,
    );
    const state = openTurns > 0n ? 'working' : 'ready';
    const reason = gone === undefined ? {} : { reason: goneText };
    return { state, ...reason, provider, model, openTurns, tokens };
  } catch (error) {
    return gone === undefined
      ? silent('dead', reasonOf(error), config)
      : silent('file-gone', goneText, config);
  }
};

/** Hosts have profiles too; they are no agents of this kind. */
const isAgent = async (host: RemoteAgent, name: string): Promise<boolean> => {
  const type = await typeNamed(host, [`${PROFILE}${name}`]);
  return type === undefined || type === 'guest';
};

/** Every agent that the host has, and how it is. Never waits for a dead one. */
export const reportAgents = async (
  powers: CliPowers,
  host: RemoteAgent,
): Promise<readonly AgentReport[]> => {
  const all = await agentNames(host);
  const known = await Promise.all(all.map((name) => isAgent(host, name)));
  const names = all.filter((_, i) => known[i]);
  const open = await openDecisions(host, await listMail(host));
  return Promise.all(
    names.map(async (name) => {
      const [id, shape] = await Promise.all([
        E(host).identify(name),
        examine(powers, host, name),
      ]);
      const count = open.filter(({ from }) => from === id).length;
      return harden({ name, ...shape, openDecisions: BigInt(count) });
    }),
  );
};
harden(reportAgents);
