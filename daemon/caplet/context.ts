import { E } from '@endo/far';
import { defineExoClass } from '@endo/exo';
import { M } from '@endo/patterns';
import { makePromiseKit } from '@endo/promise-kit';
import type { FormulaId } from '../formula/formula.ts';

/** The daemon's own end of a caplet's context. */
export type ContextControl = {
  readonly exo: unknown;
  /** Fulfils with the reason when cancelled. Never rejects. */
  readonly cancelled: Promise<Error>;
  readonly isCancelled: () => boolean;
  /** Runs the hooks. Contract: resolves, at the latest after the time allowed. */
  readonly dispose: (reason: Error) => Promise<void>;
};

export type ContextPowers = {
  /** Resolves after so many milliseconds. */
  readonly delay: (milliseconds: number) => Promise<void>;
  readonly log: (line: string) => void;
  /** How long disposal hooks may take, in all. */
  readonly disposalMs: number;
};

const ContextI = M.interface('Context', {
  id: M.call().returns(M.string()),
  cancel: M.callWhen()
    .optional(M.or(M.error(), M.string(), M.undefined()))
    .returns(M.undefined()),
  whenCancelled: M.call().returns(M.promise()),
  whenDisposed: M.call().returns(M.promise()),
  addDisposalHook: M.call(M.remotable('hook')).returns(M.undefined()),
  help: M.call().optional(M.string()).returns(M.string()),
});

type ContextState = {
  readonly id: FormulaId;
  readonly whenCancelled: Promise<never>;
  readonly whenDisposed: Promise<undefined>;
  readonly hooks: unknown[];
  readonly cancelSelf: (reason: Error) => Promise<void>;
};

const HELP = `The life of this caplet, as its daemon sees it.
id(): its formula id.
cancel(reason?): ends it; the next lookup makes it anew.
whenCancelled(): a promise that rejects with the reason when it is cancelled, and never resolves.
whenDisposed(): a promise that resolves when its disposal hooks have run.
addDisposalHook(hook): a far function to call when it is cancelled.`;

const makeContextExo = defineExoClass(
  'Context',
  ContextI,
  (state: ContextState) => ({ parts: state }),
  {
    id() {
      return this.state.parts.id;
    },
    async cancel(reason?: unknown) {
      const cause =
        reason instanceof Error
          ? reason
          : Error(typeof reason === 'string' ? reason : 'cancelled by itself');
      await this.state.parts.cancelSelf(cause);
      return undefined;
    },
    whenCancelled() {
      return this.state.parts.whenCancelled;
    },
    whenDisposed() {
      return this.state.parts.whenDisposed;
    },
    addDisposalHook(hook: unknown) {
      this.state.parts.hooks.push(hook);
      return undefined;
    },
    help() {
      return HELP;
    },
  },
);

type Hook = () => unknown;

export const makeContext = (
  id: FormulaId,
  cancelSelf: (reason: Error) => Promise<void>,
  { delay, log, disposalMs }: ContextPowers,
): ContextControl => {
  const forCaplet = makePromiseKit<never>();
  const forDaemon = makePromiseKit<Error>();
  const disposed = makePromiseKit<undefined>();
  // Nobody may be waiting for it.
  forCaplet.promise.catch(() => undefined);
  const hooks: unknown[] = [];
  let over = false;

  const runHooks = async (): Promise<void> => {
    const outcomes = await Promise.allSettled(
      hooks.splice(0).map((hook) => E(hook as Hook)()),
    );
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        log(
          `a disposal hook of ${id.slice(0, 8)} failed: ${String(outcome.reason)}`,
        );
      }
    }
  };

  return harden({
    exo: makeContextExo({
      id,
      whenCancelled: forCaplet.promise,
      whenDisposed: disposed.promise,
      hooks,
      // Under the same id another may live by now.
      cancelSelf: async (reason) => {
        if (!over) await cancelSelf(reason);
      },
    }),
    cancelled: forDaemon.promise,
    isCancelled: () => over,
    dispose: async (reason) => {
      over = true;
      forDaemon.resolve(reason);
      forCaplet.reject(reason);
      await (hooks.length === 0
        ? undefined
        : Promise.race([runHooks(), delay(disposalMs)]));
      disposed.resolve(undefined);
    },
  });
};
harden(makeContext);
