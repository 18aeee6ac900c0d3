import { E } from '@endo/far';
import { makePromiseKit } from '@endo/promise-kit';
import type { Following } from './guest.ts';
import { reasonText } from './reason-text.ts';

/** A far reference with `next()`, `return()` and `throw()`, as A and B give it. */
type RemoteIterator = {
  readonly next: () => Promise<{
    readonly done?: boolean;
    readonly value: unknown;
  }>;
  readonly return: () => Promise<unknown>;
};

const END: IteratorResult<never, undefined> = harden({
  done: true,
  value: undefined,
});

/**
 * A remote iterator as a `Following`.
 *
 * Contract: `close` never waits for the daemon, which may be gone; it ends each
 * waiting `next` with `done`. When the daemon's side fails, the waiting `next`
 * rejects and the following is over. When `read` throws, that `next` rejects
 * and the one after it goes on with the next item.
 *
 * @param what - what is followed, for errors: `messages`
 * @param iterator - far reference, or a promise for one
 * @param read - checks one item as it comes from the wire
 */
export const makeFollowing = <T>(
  what: string,
  iterator: unknown,
  read: (raw: unknown) => T,
): Following<T> => {
  const remote = Promise.resolve(iterator as RemoteIterator);
  // Each `next` reports a failure of this promise; until one does, it is not
  // an unhandled rejection.
  remote.catch(() => undefined);
  // Settled by hand and not by `Promise.race`, which would keep one reaction
  // for every item on a promise as old as the following.
  const waiting = new Set<() => void>();
  let over = false;

  const finish = (): void => {
    over = true;
    for (const end of waiting) end();
    waiting.clear();
  };

  const next = (): Promise<IteratorResult<T, undefined>> => {
    if (over) return Promise.resolve(END);
    const { promise, resolve, reject } =
      makePromiseKit<IteratorResult<T, undefined>>();
    const end = (): void => resolve(END);
    waiting.add(end);
    E(remote)
      .next()
      .then(
        (result) => {
          waiting.delete(end);
          if (over || result.done === true) {
            resolve(END);
            finish();
            return;
          }
          try {
            resolve(harden({ done: false, value: read(result.value) }));
          } catch (error) {
            reject(error);
          }
        },
        (reason: unknown) => {
          waiting.delete(end);
          reject(
            Error(`Cannot follow ${what}: ${reasonText(reason)}`, {
              cause: reason,
            }),
          );
          finish();
        },
      );
    return promise;
  };

  const close = (): Promise<void> => {
    if (!over) {
      finish();
      // A courtesy to the daemon. It may be gone, or may answer only with the
      // next item: nobody waits for it.
      E(remote)
        .return()
        .catch(() => undefined);
    }
    return Promise.resolve();
  };

  return harden({ next, close });
};
harden(makeFollowing);
