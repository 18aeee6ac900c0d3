import type { FormulaId } from '../formula/formula.ts';
import type { WorkerKind, WorkerProcess } from '../worker/worker-process.ts';

/** What the pool uses of a worker's process. */
type PooledProcess = Omit<WorkerProcess, 'ready'>;

export type StartWorker = (
  label: string,
  kind: WorkerKind,
) => PooledProcess | Promise<PooledProcess>;

/** Calls `effect` once after so many milliseconds; the result calls it off. */
export type SetTimer = (effect: () => void, milliseconds: number) => () => void;

export type WorkerPool = {
  /** The process of this worker and kind, started when there is none. */
  readonly provide: (
    worker: FormulaId,
    label: string,
    kind: WorkerKind,
    /** Called once when the process ends while the stay lasts. */
    onGone: (cause: Error) => void,
  ) => Promise<Tenancy>;
  /** Ends both processes of a worker. */
  readonly stop: (worker: FormulaId, reason: string) => void;
  readonly stopAll: (reason: string) => Promise<void>;
};

/** One value's stay in a process. */
export type Tenancy = {
  readonly process: PooledProcess;
  /** Ends the stay. `retire` ends the process too when nobody else stays in it. */
  readonly leave: (retire: boolean) => void;
};

export type WorkerPoolPowers = {
  readonly startWorker: StartWorker;
  readonly setTimer: SetTimer;
  readonly log: (line: string) => void;
  /** How long a process whose last caplet was cancelled has to come to rest. */
  readonly graceMs: number;
};

type Room = {
  readonly process: Promise<PooledProcess>;
  readonly tenants: Set<(cause: Error) => void>;
};

export const makeWorkerPool = (powers: WorkerPoolPowers): WorkerPool => {
  const { startWorker, setTimer, log, graceMs } = powers;
  const rooms = new Map<string, Room>();
  const running = new Set<PooledProcess>();
  let closed = false;

  const forget = (key: string, room: Room): void => {
    if (rooms.get(key) === room) rooms.delete(key);
  };

  const start = async (
    label: string,
    kind: WorkerKind,
  ): Promise<PooledProcess> => {
    const process = await startWorker(label, kind);
    running.add(process);
    log(`worker ${label} (${kind}) started, pid ${process.pid}`);
    return process;
  };

  const watch = async (
    key: string,
    label: string,
    room: Room,
  ): Promise<void> => {
    let process: PooledProcess;
    try {
      process = await room.process;
    } catch (error) {
      log(`worker ${label} did not start: ${String(error)}`);
      forget(key, room);
      return;
    }
    const cause = await process.gone;
    running.delete(process);
    forget(key, room);
    log(`worker ${label} ended, pid ${process.pid}: ${cause.message}`);
    const tenants = [...room.tenants];
    room.tenants.clear();
    for (const onGone of tenants) onGone(cause);
  };

  const enter = (key: string, label: string, kind: WorkerKind): Room => {
    const existing = rooms.get(key);
    if (existing !== undefined) return existing;
    const room: Room = { process: start(label, kind), tenants: new Set() };
    rooms.set(key, room);
    void watch(key, label, room);
    return room;
  };

  const retire = (key: string, room: Room): void => {
    // At once, so that the next caplet starts in a fresh process.
    forget(key, room);
    void room.process.then(
      (process) => {
        const callOff = setTimer(() => {
          void process.stop('its last value was cancelled');
        }, graceMs);
        void process.gone.then(callOff);
      },
      () => undefined,
    );
  };

  return harden({
    provide: async (worker, label, kind, onGone) => {
      if (closed)
        throw Error('The daemon is stopping and starts no more workers');
      const key = `${worker} ${kind}`;
      const room = enter(key, label, kind);
      // A function of its own, so that two stays are never one.
      const tenant = (cause: Error): void => onGone(cause);
      room.tenants.add(tenant);
      const process = await room.process;
      return harden({
        process,
        leave: (retiring: boolean) => {
          const left = room.tenants.delete(tenant);
          if (left && retiring && room.tenants.size === 0) retire(key, room);
        },
      });
    },
    stop: (worker, reason) => {
      for (const kind of ['confined', 'unconfined']) {
        const key = `${worker} ${kind}`;
        const room = rooms.get(key);
        if (room === undefined) continue;
        forget(key, room);
        void room.process.then(
          (process) => process.stop(reason),
          () => undefined,
        );
      }
    },
    stopAll: async (reason) => {
      closed = true;
      const starting = [...rooms.values()].map((room) => room.process);
      await Promise.allSettled(starting);
      await Promise.allSettled(
        [...running].map(async (process) => {
          await process.stop(reason);
          await process.gone;
        }),
      );
    },
  });
};
harden(makeWorkerPool);
