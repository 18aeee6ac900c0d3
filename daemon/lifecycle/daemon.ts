import type { HostFormula } from '../formula/formula.ts';
import { makeBlobs, type Hash } from '../agent/blobs.ts';
import { makeCaplets } from '../agent/caplets.ts';
import { makeRunCode } from '../agent/code-runs.ts';
import { makeProvideValues } from '../agent/code-values.ts';
import { makeEvaluation } from '../agent/evaluation.ts';
import { provideFoundation } from '../agent/foundation.ts';
import { makeGrants } from '../agent/grants.ts';
import { makeProposals } from '../agent/proposals.ts';
import { makeProvisioning } from '../agent/provisioning.ts';
import { makeDormant, makeEndo } from '../exo/small.ts';
import { makeAnswers, makeProvidePromise } from '../mail/answers.ts';
import { makeDecisions } from '../mail/decisions.ts';
import { makeMailService } from '../mail/mail-service.ts';
import { makeMailSignals } from '../mail/mail-signals.ts';
import { makeMessageView } from '../mail/message-view.ts';
import { makePostOffice } from '../mail/post-office.ts';
import { makeRequests } from '../mail/requests.ts';
import { makeSettlements } from '../mail/settlements.ts';
import { makeDirectoryService } from '../name/directory-service.ts';
import { makeNameFollowing } from '../name/following.ts';
import { makeNameEvents } from '../name/name-events.ts';
import { makeNameHubs } from '../name/name-hubs.ts';
import { makeCollector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import { makeBlobStore } from '../store/blobs.ts';
import { makeFormulaStore } from '../store/formulas.ts';
import { makeMailboxStore } from '../store/mailboxes.ts';
import { makeNameStore } from '../store/names.ts';
import { makePromiseStore } from '../store/promises.ts';
import { makeProposalStore } from '../store/proposals.ts';
import { startScrubbing } from '../store/scrubbing.ts';
import { makeExoKinds, type MakeExo } from './exo-kinds.ts';
import { makeIncarnator, type Incarnator } from './incarnator.ts';
import { makePinBoards, makePins } from './pins.ts';
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
  readonly makeSha512: () => Hash;
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
  /** Finds what ran when the daemon ended, and makes the pinned values. */
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
  const proposals = makeProposalStore(database);
  const blobs = makeBlobStore(database);
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
  startScrubbing({ database, formulas, collector, log });
  log(`the state is open, node ${ids.node.slice(0, 12)}`);
  return {
    formulas,
    names,
    mailboxes,
    promises,
    proposals,
    blobs,
    ids,
    endo,
    host,
    collector,
    events,
    hubs,
  };
};

type State = ReturnType<typeof openState>;

const openMail = (
  powers: DaemonPowers,
  state: State,
  values: Pick<Incarnator, 'provideAtRest' | 'provideNow'>,
) => {
  const signals = makeMailSignals();
  const office = makePostOffice({ ...state, ...powers, signals });
  const settlements = makeSettlements({
    ...state,
    onCollected: state.collector.onCollected,
    provideAtRest: values.provideAtRest,
  });
  const view = makeMessageView({
    ...state,
    office,
    settlements,
    provideNow: values.provideNow,
  });
  const mail = makeMailService({ ...state, ...powers, office, signals, view });
  const answers = makeAnswers({ ...powers, ...state, settlements });
  const decisions = makeDecisions({ ...powers, ...state, office, answers });
  return { office, settlements, mail, answers, decisions };
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
    makeDormant,
    onCollected: collector.onCollected,
  });
  return { pool, incarnator, providePromise };
};

/** Puts the daemon together. Everything it may do is in `powers`. */
export const makeDaemon = (powers: DaemonPowers): Daemon => {
  const state = openState(powers);
  const mailing = openMail(powers, state, {
    provideAtRest: (id) => values.incarnator.provideAtRest(id),
    provideNow: (id) => values.incarnator.provideNow(id),
  });
  const values = openValues(powers, state, mailing, (id, formula) =>
    makeExo(id, formula),
  );
  const { pool, incarnator, providePromise } = values;
  const parts = { ...powers, ...state, ...mailing, incarnator };
  const directory = makeDirectoryService(parts);
  const following = makeNameFollowing(state.hubs, state.events);
  const requests = makeRequests({ ...parts, providePromise });
  const provisioning = makeProvisioning(parts);
  const { workerId } = provisioning;
  const runCode = makeRunCode(parts);
  const evaluation = makeEvaluation({ ...parts, workerId, runCode });
  const proposing = makeProposals({ ...parts, workerId, providePromise });
  const provideValues = makeProvideValues({
    ...powers,
    provide: incarnator.provide,
  });
  const grants = makeGrants({ ...parts, provideValues, runCode });
  const caplets = makeCaplets({ ...parts, workerId });
  const storing = makeBlobs(parts);
  const { none } = state.formulas.get(state.host) as HostFormula;
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
      proposing,
      provisioning,
      evaluation,
      grants,
      caplets,
      storing,
    },
    () => endo,
  );
  const pins = makePins({ ...parts, boards: makePinBoards(parts.formulas) });

  return harden({
    endo,
    start: () => {
      grants.recover();
      pins.start();
    },
    stop: async (reason) => {
      grants.stop();
      pins.stop();
      await pool.stopAll(reason);
    },
  });
};
harden(makeDaemon);
