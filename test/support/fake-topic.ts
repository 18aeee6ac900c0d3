import { makeExo } from '@endo/exo';
import { M } from '@endo/patterns';
import { makePromiseKit } from '@endo/promise-kit';

const IteratorI = M.interface('AsyncIterator', {
  next: M.call().returns(M.promise()),
  return: M.call().optional(M.any()).returns(M.promise()),
  throw: M.call().optional(M.any()).returns(M.promise()),
});

type Result = { readonly done: boolean; readonly value: unknown };

const END: Result = harden({ done: true, value: undefined });

export type FakeTopic = {
  readonly publish: (item: unknown) => void;
  /** A far reference that yields `first`, then all that is published from now. */
  readonly follow: (first: readonly unknown[]) => object;
  /** How many followers have not been closed. */
  readonly followerCount: () => number;
};

/** Publishes items to any number of remote iterators, each with its own queue. */
export const makeFakeTopic = (): FakeTopic => {
  const followers = new Set<(item: unknown) => void>();

  const follow = (first: readonly unknown[]): object => {
    const queue = [...first];
    const waiting: ((result: Result) => void)[] = [];
    let over = false;
    const push = (item: unknown): void => {
      const waiter = waiting.shift();
      if (waiter === undefined) queue.push(item);
      else waiter(harden({ done: false, value: item }));
    };
    followers.add(push);

    const finish = (): Promise<Result> => {
      over = true;
      followers.delete(push);
      for (const waiter of waiting.splice(0)) waiter(END);
      return Promise.resolve(END);
    };
    return makeExo('AsyncIterator', IteratorI, {
      next: () => {
        if (over) return Promise.resolve(END);
        if (queue.length > 0) {
          return Promise.resolve(harden({ done: false, value: queue.shift() }));
        }
        const { promise, resolve } = makePromiseKit<Result>();
        waiting.push(resolve);
        return promise;
      },
      return: finish,
      throw: finish,
    });
  };

  return harden({
    publish: (item: unknown) => {
      for (const push of [...followers]) push(item);
    },
    follow,
    followerCount: () => followers.size,
  });
};
