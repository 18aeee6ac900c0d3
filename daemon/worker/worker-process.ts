import { spawn, type ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { E } from '@endo/far';
import { makePromiseKit } from '@endo/promise-kit';
import { makeConnection } from '../connection/connection.ts';

export type WorkerKind = 'confined' | 'unconfined';

export type WorkerOptions = {
  /** Names the worker in errors, in its log and in the process list. */
  readonly label: string;
  /** Proposed code and unconfined caplets never share a process. */
  readonly kind: WorkerKind;
  /** Where standard output and error go; nowhere when it is not given. */
  readonly logFd?: number | undefined;
  /** Limit of the heap, in MiB. */
  readonly maxOldSpaceMb?: number | undefined;
  /** The whole environment of the process. The default is an empty one. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Directory of Node's compile cache; none when it is not given. */
  readonly compileCacheDir?: string | undefined;
  readonly onReject?: ((error: unknown) => void) | undefined;
};

export type WorkerProcess = {
  readonly pid: number;
  /** Resolves once the worker serves; rejects when it could not start. */
  readonly ready: Promise<void>;
  /** Resolves, never rejects, with the reason once the process is gone. */
  readonly gone: Promise<Error>;
  /**
   * Evaluates in a fresh compartment with the values bound to the names.
   * Confined workers only. Rejects with what the code threw; when it does not
   * settle within `timeoutMs`, the worker is ended.
   */
  readonly evaluate: (
    source: string,
    names: readonly string[],
    values: readonly unknown[],
    timeoutMs: number,
  ) => Promise<unknown>;
  /**
   * Imports a module by file: URL and calls its `make(powers, context, { env })`.
   * Unconfined workers only.
   */
  readonly makeUnconfined: (
    specifier: string,
    powers: unknown,
    context: unknown,
    env: Readonly<Record<string, string>>,
  ) => Promise<unknown>;
  /** SIGTERM, then SIGKILL after a grace time. Resolves when it is gone. */
  readonly stop: (reason: string) => Promise<void>;
};

const CHANNEL = 3;
const READY_TIMEOUT_MS = 30_000;
const STOP_GRACE_MS = 2_000;
/** Between the end of the channel and that of the process. */
const EXIT_GRACE_MS = 500;
const CONFINED_OLD_SPACE_MB = 256;
/** Small: a worker that is idle should cost little. */
const YOUNG_SPACE_MB = 1;

type Facet = {
  readonly evaluate: (
    source: string,
    names: readonly string[],
    values: readonly unknown[],
  ) => Promise<unknown>;
  readonly makeUnconfined: (
    specifier: string,
    powers: unknown,
    context: unknown,
    env: Readonly<Record<string, string>>,
  ) => Promise<unknown>;
};

// The suffix is that of this module: .ts from source, .js when built.
const mainPath = fileURLToPath(
  import.meta.url.replace(/worker-process(\.[jt]s)(\?.*)?$/u, 'main$1'),
);

const spawnWorker = ({
  label,
  kind,
  logFd,
  maxOldSpaceMb,
  env = {},
  compileCacheDir = '',
}: WorkerOptions): ChildProcess => {
  const output = logFd ?? 'ignore';
  const heap =
    maxOldSpaceMb === undefined
      ? []
      : [`--max-old-space-size=${maxOldSpaceMb}`];
  return spawn(
    process.execPath,
    // Explicit: a child would inherit ours.
    [
      ...heap,
      `--max-semi-space-size=${YOUNG_SPACE_MB}`,
      '--disable-warning=ExperimentalWarning',
      mainPath,
      kind,
      label,
    ],
    {
      cwd: '/',
      // The cache has to be on before the first module is loaded; with it, Node
      // need not load what strips the types.
      env:
        compileCacheDir === ''
          ? { ...env }
          : { ...env, NODE_COMPILE_CACHE: compileCacheDir },
      stdio: ['ignore', output, output, 'pipe'],
      windowsHide: true,
    },
  );
};

const describeExit = (
  code: number | null,
  signal: string | null,
  maxOldSpaceMb: number | undefined,
): string => {
  if (signal === null) return `exited (code ${code ?? 'unknown'})`;
  const isOutOfMemory = signal === 'SIGABRT' && maxOldSpaceMb !== undefined;
  const hint = isOutOfMemory
    ? `; it has ${maxOldSpaceMb} MiB of memory, perhaps that was not enough`
    : '';
  return `exited (signal ${signal}${hint})`;
};

/** Starts a worker process. Throws when the system starts none. */
export const startWorker = (options: WorkerOptions): WorkerProcess => {
  const { label, kind, onReject } = options;
  const maxOldSpaceMb =
    options.maxOldSpaceMb ??
    (kind === 'confined' ? CONFINED_OLD_SPACE_MB : undefined);
  const title = `worker ${JSON.stringify(label)}`;
  const child = spawnWorker({ ...options, maxOldSpaceMb });
  const { promise: gone, resolve: resolveGone } = makePromiseKit<Error>();
  /** Why we ended it, if we did. */
  let ourReason: string | undefined;

  child.on('error', (error) => {
    resolveGone(Error(`${title} failed: ${error.message}`, { cause: error }));
  });
  child.on('exit', (code, signal) => {
    const words = ourReason ?? describeExit(code, signal, maxOldSpaceMb);
    resolveGone(Error(`${title} ${words}`));
  });
  const { pid } = child;
  if (pid === undefined) {
    throw Error(`Cannot start ${title}: the system starts no new process`);
  }

  const kill = (reason: string): void => {
    ourReason ??= reason;
    child.kill('SIGKILL');
  };

  const connection = makeConnection({
    name: title,
    socket: child.stdio[CHANNEL] as Duplex,
    onReject,
    explainEnd: async () => {
      const timer = setTimeout(
        () => kill('closed its channel and was ended'),
        EXIT_GRACE_MS,
      );
      const reason = await gone;
      clearTimeout(timer);
      return reason;
    },
  });
  // A process may hold on to its end of the channel, or die without closing it.
  void gone.then((reason) => connection.close(reason));
  void connection.closed.then((reason) => kill(`was ended: ${reason.message}`));

  const start = async (): Promise<Facet> => {
    const timer = setTimeout(
      () => kill(`was ended: it was not ready within ${READY_TIMEOUT_MS} ms`),
      READY_TIMEOUT_MS,
    );
    try {
      return (await connection.getBootstrap()) as Facet;
    } finally {
      clearTimeout(timer);
    }
  };
  const facet = start();
  const ready = facet.then(() => undefined);
  // Whoever asks for something sees it; nobody has to.
  ready.catch(() => undefined);

  const assertKind = (needed: WorkerKind, what: string): void => {
    if (kind === needed) return;
    throw Error(
      `${title} is ${kind} and cannot ${what}; use one that is ${needed}`,
    );
  };

  const evaluate: WorkerProcess['evaluate'] = async (
    source,
    names,
    values,
    timeoutMs,
  ) => {
    assertKind('confined', 'evaluate code');
    const worker = await facet;
    const { promise: late, reject } = makePromiseKit<never>();
    const timer = setTimeout(() => {
      kill(`was ended: an evaluation did not settle within ${timeoutMs} ms`);
      // Not before: what is evaluated next must not enter the dying process.
      void gone.then(reject);
    }, timeoutMs);
    try {
      const value = E(worker).evaluate(
        source,
        harden([...names]),
        harden([...values]),
      );
      return await Promise.race([value, late]);
    } finally {
      clearTimeout(timer);
    }
  };

  const makeUnconfined: WorkerProcess['makeUnconfined'] = async (
    specifier,
    powers,
    context,
    env,
  ) => {
    assertKind('unconfined', 'make an unconfined caplet');
    const worker = await facet;
    return E(worker).makeUnconfined(
      specifier,
      powers,
      context,
      harden({ ...env }),
    );
  };

  const stop = async (reason: string): Promise<void> => {
    ourReason ??= `was stopped: ${reason}`;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS);
    await gone;
    clearTimeout(timer);
  };

  return harden({ pid, ready, gone, evaluate, makeUnconfined, stop });
};
harden(startWorker);
