import type { HostFormula } from '../formula/formula.ts';
import { makeCaplets } from '../agent/caplets.ts';
import { makeEvaluation } from '../agent/evaluation.ts';
import { provideFoundation } from '../agent/foundation.ts';
import { makeProvisioning } from '../agent/provisioning.ts';
import { makeEndo } from '../exo/small.ts';
import { makeMailService } from '../mail/mail-service.ts';
import { makeMailSignals } from '../mail/mail-signals.ts';
import { makeMessageView } from '../mail/message-view.ts';
import { makePostOffice } from '../mail/post-office.ts';
import { makeProvidePromise, makeRequests } from '../mail/requests.ts';
import { makeSettlements } from '../mail/settlements.ts';
import { makeDirectoryService } from '../name/directory-service.ts';
import { makeNameFollowing } from '../name/following.ts';
import { makeNameEvents } from '../name/name-events.ts';
import { makeNameHubs } from '../name/name-hubs.ts';
import { makeCollector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import { makeFormulaStore } from '../store/formulas.ts';
import { makeMailboxStore } from '../store/mailboxes.ts';
import { makeNameStore } from '../store/names.ts';
import { makePromiseStore } from '../store/promises.ts';
import { makeExoKinds, type MakeExo } from './exo-kinds.ts';
import { makeIncarnator } from './incarnator.ts';
import { makePins } from './pins.ts';
import {
  makeWorkerPool,
  type SetTimer,
  type StartWorker,
} from './worker-pool.ts';
import { makeStartWorkerValue } from './worker-values.ts';

export type DaemonPowers = {
  readonly database: Database;
  readonly startWorker: StartWorker;
  readonly randomHex: (bytes: number) => string;
  /** ISO 8601 */
  readonly now: () => string;
  readonly monotonic: () => number;
  readonly setTimer: SetTimer;
  readonly log: (line: string) => void;
  readonly terminate: () => void;
  /** Connections to the socket. */
  readonly clients: () => number;
  readonly version: string;
  readonly source: string;
  readonly pid: number;
  readonly evalTimeoutMs: number;
  /** How long cancelled caplets have to come to rest. */
  readonly graceMs: number;
};

export type Daemon = {
  /** The bootstrap object of the socket. */
  readonly endo: object;
  /** Makes the pinned values. */
  readonly start: () => void;
  /** Ends the workers; the database is the caller's. */
  readonly stop: (reason: string) => Promise<void>;
};

/** The persistent half: what is written, and who keeps it. */
const openState = ({ database, randomHex, log }: DaemonPowers) => {
  const formulas = makeFormulaStore(database);
  const names = makeNameStore(database);
  const mailboxes = makeMailboxStore(database);
  const promises = makePromiseStore(database);
  const { ids, endo, host } = provideFoundation(database, formulas, randomHex);
  const collector = makeCollector({
    database,
    formulas,
    names,
    mailboxes,
    root: endo,
  });
  const events = makeNameEvents();
  const hubs = makeNameHubs({
    database,
    formulas,
    names,
    promises,
    collector,
    events,
  });
  // What had no name lived only as long as the process before this one.
  database.transact(() => {
    collector.sweep();
  });
  log(`the state is open, node ${ids.node.slice(0, 12)}`);
  return {
    formulas,
    names,
    mailboxes,
    promises,
    ids,
    endo,
    host,
    collector,
    events,
    hubs,
  };
};

type State = ReturnType<typeof openState>;

const openMail = (powers: DaemonPowers, state: State) => {
  const signals = makeMailSignals();
  const office = makePostOffice({ ...state, ...powers, signals });
  const settlements = makeSettlements({
    ...state,
    onCollected: state.collector.onCollected,
  });
  const view = makeMessageView(office, settlements);
  const mail = makeMailService({ ...state, ...powers, office, signals, view });
  return { office, settlements, mail };
};

/** The living half: values, and the processes in which they live. */
const openValues = (
  powers: DaemonPowers,
  state: State,
  { settlements }: ReturnType<typeof openMail>,
  makeExo: MakeExo,
) => {
  const { log, setTimer, graceMs, evalTimeoutMs } = powers;
  const { formulas, collector } = state;
  const pool = makeWorkerPool({ ...powers, log, setTimer });
  const delay = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => {
      setTimer(resolve, milliseconds);
    });
  const startWorkerValue = makeStartWorkerValue({
    pool,
    evalTimeoutMs,
    context: { delay, log, disposalMs: graceMs },
    labelOf: (id) => {
      const formula = formulas.get(id);
      return formula?.type === 'worker' ? formula.label : 'worker';
    },
    provide: (id) => incarnator.provide(id),
    cancel: (id, reason) => incarnator.cancel(id, reason),
  });
  const providePromise = makeProvidePromise(settlements, (id) =>
    incarnator.provide(id),
  );
  const incarnator = makeIncarnator({
    formulas,
    pool,
    startWorkerValue,
    providePromise,
    makeExo,
    onCollected: collector.onCollected,
  });
  return { pool, incarnator, providePromise };
};

/** Puts the daemon together. Everything it may do is in `powers`. */
export const makeDaemon = (powers: DaemonPowers): Daemon => {
  const state = openState(powers);
  const mailing = openMail(powers, state);
  const { pool, incarnator, providePromise } = openValues(
    powers,
    state,
    mailing,
    (id, formula) => makeExo(id, formula),
  );
  const parts = { ...powers, ...state, ...mailing, incarnator };
  const directory = makeDirectoryService(parts);
  const following = makeNameFollowing(state.hubs, state.events);
  const requests = makeRequests(parts, providePromise);
  const provisioning = makeProvisioning(parts);
  const { workerId } = provisioning;
  const evaluation = makeEvaluation({ ...parts, workerId });
  const caplets = makeCaplets({ ...parts, workerId });
  const { none, pins: pinsId } = state.formulas.get(state.host) as HostFormula;
  const endo = makeEndo({
    ...powers,
    node: state.ids.node,
    host: () => incarnator.provide(state.host),
    leastAuthority: () => incarnator.provide(none),
  });
  const makeExo = makeExoKinds(
    {
      ...parts,
      directory,
      following,
      requests,
      provisioning,
      evaluation,
      caplets,
    },
    () => endo,
  );
  const pins = makePins({ ...parts, pins: pinsId });

  return harden({
    endo,
    start: pins.start,
    stop: async (reason) => {
      pins.stop();
      await pool.stopAll(reason);
    },
  });
};
harden(makeDaemon);
