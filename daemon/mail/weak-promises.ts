import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';

/** Promises by key, the same as long as somebody holds on to one. */
export type WeakPromises<T> = {
  readonly provide: (key: string) => Promise<T>;
  /** `makeValue` is called only when somebody holds the promise. */
  readonly settle: (key: string, makeValue: () => T | Promise<T>) => void;
};

/**
 * What waits for a promise is held by the promise: a connection that was told
 * of one would be held until it settles, long after the connection is over.
 * So these are held by their readers alone.
 */
export const makeWeakPromises = <T>(): WeakPromises<T> => {
  const refs = new Map<string, WeakRef<Promise<T>>>();
  const kits = new WeakMap<Promise<T>, PromiseKit<T>>();
  const registry = new FinalizationRegistry<string>((key) => {
    if (refs.get(key)?.deref() === undefined) refs.delete(key);
  });
  return harden({
    provide: (key) => {
      const existing = refs.get(key)?.deref();
      if (existing !== undefined) return existing;
      const kit = makePromiseKit<T>();
      kits.set(kit.promise, kit);
      refs.set(key, new WeakRef(kit.promise));
      registry.register(kit.promise, key);
      // Readers see a rejection; there may be none any more.
      kit.promise.catch(() => undefined);
      return kit.promise;
    },
    settle: (key, makeValue) => {
      const promise = refs.get(key)?.deref();
      refs.delete(key);
      if (promise !== undefined) kits.get(promise)?.resolve(makeValue());
    },
  });
};
harden(makeWeakPromises);
