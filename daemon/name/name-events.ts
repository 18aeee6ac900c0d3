import { makePromiseKit } from '@endo/promise-kit';
import type { FormulaId } from '../formula/formula.ts';

/** `id` is undefined when the name was taken away; `before` is what it stood for. */
export type NameChange = {
  readonly name: string;
  readonly id: FormulaId | undefined;
  readonly before: FormulaId | undefined;
};

/** Changes that a follower has not taken yet. Ends with `undefined`. */
export type ChangeQueue = {
  readonly next: () => Promise<NameChange | undefined>;
  readonly close: () => void;
};

export type NameEvents = {
  readonly publish: (directory: FormulaId, change: NameChange) => void;
  readonly follow: (
    directory: FormulaId,
    existing: readonly NameChange[],
  ) => ChangeQueue;
};

type Sink = {
  readonly push: (change: NameChange) => void;
  readonly isWaiting: () => boolean;
};

/**
 * Only the last change of a name is kept, so a follower that does not read
 * costs no more than the directory has names.
 */
const makeQueue = (existing: readonly NameChange[], onWait: () => void) => {
  const pending = new Map(existing.map((change) => [change.name, change]));
  let waiting: ((change: NameChange | undefined) => void)[] = [];
  let closed = false;

  const push = (change: NameChange): void => {
    const earlier = pending.get(change.name);
    pending.delete(change.name);
    pending.set(
      change.name,
      harden({
        ...change,
        before: earlier === undefined ? change.before : earlier.before,
      }),
    );
    const taker = waiting.shift();
    const [first] = pending.values();
    if (taker === undefined || first === undefined) return;
    pending.delete(first.name);
    taker(first);
  };

  return {
    sink: { push, isWaiting: () => waiting.length > 0 },
    queue: harden({
      next: (): Promise<NameChange | undefined> => {
        const [first] = pending.values();
        if (closed) return Promise.resolve(undefined);
        if (first !== undefined) {
          pending.delete(first.name);
          return Promise.resolve(first);
        }
        const { promise, resolve } = makePromiseKit<NameChange | undefined>();
        waiting.push(resolve);
        onWait();
        return promise;
      },
      close: () => {
        closed = true;
        pending.clear();
        for (const resolve of waiting) resolve(undefined);
        waiting = [];
      },
    }),
  };
};

type Followers = {
  readonly weak: Set<WeakRef<Sink>>;
  readonly waiting: Set<Sink>;
};

/**
 * A client that goes away says nothing. So a follower is held weakly by what
 * it follows, and strongly only while somebody waits for its next change.
 */
export const makeNameEvents = (): NameEvents => {
  const followers = new Map<FormulaId, Followers>();

  const publish = (directory: FormulaId, change: NameChange): void => {
    const found = followers.get(directory);
    if (found === undefined) return;
    for (const reference of found.weak) {
      const sink = reference.deref();
      if (sink === undefined) {
        found.weak.delete(reference);
        continue;
      }
      sink.push(change);
      if (!sink.isWaiting()) found.waiting.delete(sink);
    }
    if (found.weak.size === 0) followers.delete(directory);
  };

  const follow = (
    directory: FormulaId,
    existing: readonly NameChange[],
  ): ChangeQueue => {
    const found = followers.get(directory) ?? {
      weak: new Set(),
      waiting: new Set(),
    };
    followers.set(directory, found);
    const { sink, queue } = makeQueue(existing, () => found.waiting.add(sink));
    const reference = new WeakRef<Sink>(sink);
    found.weak.add(reference);
    return harden({
      next: queue.next,
      close: () => {
        queue.close();
        found.waiting.delete(sink);
        found.weak.delete(reference);
      },
    });
  };

  return harden({ publish, follow });
};
harden(makeNameEvents);
