import type {
  AgentFormula,
  FormulaId,
  HostFormula,
} from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { formatPath, pathFrom } from '../name/pet-name.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import { formulateAgentParts } from './foundation.ts';

export type AgentOptions = {
  /** Where the host names the agent itself, not its handle. */
  readonly agentName?: string | undefined;
  /** Host name → the agent's name. */
  readonly introducedNames?: Readonly<Record<string, string>> | undefined;
};

type AgentKind = 'guest' | 'host';

type ProvideAgent = (
  host: FormulaId,
  handleName: NameOrPath | undefined,
  options: AgentOptions,
) => Promise<unknown>;

export type Provisioning = {
  /** The guest of that handle name, made when there is none. */
  readonly provideGuest: ProvideAgent;
  /** The host of that handle name. It has this one as its HOST. */
  readonly provideHost: ProvideAgent;
  readonly provideWorker: (
    host: FormulaId,
    name: NameOrPath,
  ) => Promise<unknown>;
  /** The id of a worker by name; the agent's own for `MAIN` and `undefined`. */
  readonly workerId: (
    agent: FormulaId,
    name: NameOrPath | undefined,
  ) => FormulaId;
};

export type ProvisioningPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly collector: Collector;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly incarnator: Incarnator;
};

const makeWorkers = ({ database, formulas, hubs, ids }: ProvisioningPowers) => {
  const provide = (agent: FormulaId, name: NameOrPath): FormulaId =>
    database.transact(() => {
      const path = pathFrom(name);
      const existing = hubs.identify(agent, path);
      if (existing === undefined) {
        const id = ids.makeFormulaId();
        formulas.put(id, harden({ type: 'worker', label: path.join('/') }));
        hubs.bind(hubs.writablePlace(agent, path), id);
        return id;
      }
      const type = hubs.typeOf(existing);
      if (type === 'worker') return existing;
      throw Error(
        `${formatPath(path)} is not a worker but a value of the kind ${type}`,
      );
    });

  return (agent: FormulaId, name: NameOrPath | undefined): FormulaId => {
    if (name !== undefined && name !== 'MAIN') return provide(agent, name);
    const formula = hubs.get(agent) as AgentFormula | undefined;
    if (formula === undefined) throw Error('This agent no longer exists');
    return formula.worker;
  };
};

export const makeProvisioning = (powers: ProvisioningPowers): Provisioning => {
  const { database, formulas, collector, hubs, ids, incarnator } = powers;
  const workerId = makeWorkers(powers);

  const agentAt = (
    host: FormulaId,
    name: NameOrPath,
    kind: AgentKind,
  ): FormulaId | undefined => {
    const path = pathFrom(name);
    const id = hubs.identify(host, path);
    const formula = id === undefined ? undefined : hubs.get(id);
    if (formula === undefined) return undefined;
    if (formula.type === 'handle' && hubs.typeOf(formula.agent) === kind)
      return formula.agent;
    const type =
      formula.type === 'handle' ? hubs.typeOf(formula.agent) : formula.type;
    throw Error(
      `${formatPath(path)} is taken by a value of the kind ${type}, and not by a ${kind}. Remove it first, or choose another name`,
    );
  };

  /** What makes a host of the parts of an agent: places of its own. */
  const hostParts = (maker: FormulaId) => {
    const { endo, none } = hubs.get(maker) as HostFormula;
    const [pins, nets] = [ids.makeFormulaId(), ids.makeFormulaId()];
    formulas.put(pins, harden({ type: 'directory' }));
    formulas.put(nets, harden({ type: 'directory' }));
    return { endo, none, pins, nets };
  };

  const makeAgent = (
    host: FormulaId,
    name: NameOrPath | undefined,
    kind: AgentKind,
  ): FormulaId => {
    const { handle: hostHandle } = hubs.get(host) as AgentFormula;
    const label = name === undefined ? kind : pathFrom(name).join('/');
    const { agent, parts } = formulateAgentParts(formulas, ids, label);
    formulas.put(
      agent,
      kind === 'guest'
        ? harden({ type: 'guest', ...parts, hostHandle })
        : harden({ type: 'host', ...parts, ...hostParts(host), hostHandle }),
    );
    if (name !== undefined)
      hubs.bind(hubs.writablePlace(host, pathFrom(name)), parts.handle);
    return agent;
  };

  const introduce = (
    host: FormulaId,
    agent: FormulaId,
    options: AgentOptions,
  ): void => {
    const { agentName, introducedNames = {} } = options;
    for (const [hostName, agentsName] of Object.entries(introducedNames)) {
      const id = hubs.require(host, pathFrom(hostName));
      hubs.bind(hubs.writablePlace(agent, pathFrom(agentsName)), id);
    }
    if (agentName === undefined) return;
    const existing = hubs.identify(host, pathFrom(agentName));
    if (existing !== undefined && existing !== agent) {
      throw Error(
        `${formatPath(pathFrom(agentName))} is taken by another value. Remove it first, or choose another agent name`,
      );
    }
    hubs.bind(hubs.writablePlace(host, pathFrom(agentName)), agent);
  };

  const provideAgent =
    (kind: AgentKind): ProvideAgent =>
    (host, handleName, options) => {
      const agent = database.transact(() => {
        const existing =
          handleName === undefined
            ? undefined
            : agentAt(host, handleName, kind);
        const id = existing ?? makeAgent(host, handleName, kind);
        introduce(host, id, options);
        // Without a name it lives as long as this process.
        if (handleName === undefined && options.agentName === undefined)
          collector.hold(id);
        return id;
      });
      return incarnator.provide(agent);
    };

  return harden({
    workerId,
    provideWorker: (host, name) => incarnator.provide(workerId(host, name)),
    provideGuest: provideAgent('guest'),
    provideHost: provideAgent('host'),
  });
};
harden(makeProvisioning);
