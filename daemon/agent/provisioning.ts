import type { AgentFormula, FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { formatPath, pathFrom } from '../name/pet-name.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';
import { formulateAgentParts } from './foundation.ts';

export type GuestOptions = {
  /** Where the host names the guest itself, not its handle. */
  readonly agentName?: string | undefined;
  /** Host name → guest name. */
  readonly introducedNames?: Readonly<Record<string, string>> | undefined;
};

export type Provisioning = {
  /** The guest of that handle name, made when there is none. */
  readonly provideGuest: (
    host: FormulaId,
    handleName: NameOrPath | undefined,
    options: GuestOptions,
  ) => Promise<unknown>;
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

  const guestAt = (
    host: FormulaId,
    name: NameOrPath,
  ): FormulaId | undefined => {
    const path = pathFrom(name);
    const id = hubs.identify(host, path);
    const formula = id === undefined ? undefined : hubs.get(id);
    if (formula === undefined) return undefined;
    if (formula.type === 'handle' && hubs.typeOf(formula.agent) === 'guest')
      return formula.agent;
    throw Error(
      `${formatPath(path)} is taken by a value of the kind ${formula.type}, and not by a guest. Remove it first, or choose another name`,
    );
  };

  const makeGuest = (
    host: FormulaId,
    name: NameOrPath | undefined,
  ): FormulaId => {
    const { handle: hostHandle } = hubs.get(host) as AgentFormula;
    const label = name === undefined ? 'guest' : pathFrom(name).join('/');
    const { agent, parts } = formulateAgentParts(formulas, ids, label);
    formulas.put(agent, harden({ type: 'guest', ...parts, hostHandle }));
    if (name !== undefined)
      hubs.bind(hubs.writablePlace(host, pathFrom(name)), parts.handle);
    return agent;
  };

  const introduce = (
    host: FormulaId,
    guest: FormulaId,
    options: GuestOptions,
  ): void => {
    const { agentName, introducedNames = {} } = options;
    for (const [hostName, guestName] of Object.entries(introducedNames)) {
      const id = hubs.require(host, pathFrom(hostName));
      hubs.bind(hubs.writablePlace(guest, pathFrom(guestName)), id);
    }
    if (agentName === undefined) return;
    const existing = hubs.identify(host, pathFrom(agentName));
    if (existing !== undefined && existing !== guest) {
      throw Error(
        `${formatPath(pathFrom(agentName))} is taken by another value. Remove it first, or choose another agent name`,
      );
    }
    hubs.bind(hubs.writablePlace(host, pathFrom(agentName)), guest);
  };

  return harden({
    workerId,
    provideWorker: (host, name) => incarnator.provide(workerId(host, name)),
    provideGuest: (host, handleName, options) => {
      const guest = database.transact(() => {
        const existing =
          handleName === undefined ? undefined : guestAt(host, handleName);
        const id = existing ?? makeGuest(host, handleName);
        introduce(host, id, options);
        // Without a name it lives as long as this process.
        if (handleName === undefined && options.agentName === undefined)
          collector.hold(id);
        return id;
      });
      return incarnator.provide(guest);
    },
  });
};
harden(makeProvisioning);
