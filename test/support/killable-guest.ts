import type { Following, Guest } from '../../src/endo/guest.ts';

/** When an incarnation ends: at which of its calls, on which side of it. */
export type Death = { readonly at: number; readonly side: 'before' | 'after' };

export type KillableGuest = {
  readonly guest: Guest;
  /** Calls so far, by method, in their order. */
  readonly calls: readonly string[];
  readonly isDead: () => boolean;
  /** Resolves when it has died. */
  readonly died: Promise<void>;
  readonly kill: () => void;
};

type Method = (...args: readonly unknown[]) => unknown;

const never = <T>(): Promise<T> => new Promise(() => undefined);

/**
 * The port of an incarnation that is killed: from then on nothing it asks is
 * done, and nothing it waits for comes. What was on its way before has been
 * done, and nobody hears of it.
 */
export const makeKillableGuest = (
  guest: Guest,
  death?: Death,
): KillableGuest => {
  const calls: string[] = [];
  let dead = false;
  const isDead = (): boolean => dead;
  const { promise: died, resolve } = Promise.withResolvers<undefined>();
  const kill = (): void => {
    dead = true;
    resolve(undefined);
  };
  const isAt = (side: Death['side'], index: number): boolean =>
    death?.at === index && death.side === side;

  const call = async (
    name: string,
    method: Method,
    args: readonly unknown[],
  ): Promise<unknown> => {
    if (isDead()) return never();
    const index = calls.length;
    calls.push(name);
    if (isAt('before', index)) kill();
    if (isDead()) return never();
    const result = Promise.resolve(method(...args));
    // Of the dead nobody asks what became of it.
    result.catch(() => undefined);
    if (isAt('after', index)) {
      // A question is over when it is decided: it has been asked by then.
      const isAsk = name === 'evaluate' || name === 'request';
      if (isAsk) {
        for (let count = 0; count < 200; count += 1) await Promise.resolve();
      } else {
        await result.catch(() => undefined);
      }
      kill();
      return never();
    }
    try {
      const value = await result;
      return isDead() ? await never() : value;
    } catch (error) {
      if (isDead()) return never();
      throw error;
    }
  };

  const follow = (following: Following<unknown>): Following<unknown> => ({
    next: async () => {
      const item = await following.next();
      return isDead() ? never() : item;
    },
    close: () => following.close(),
  });

  const wrapped = Object.entries(guest).map(([name, method]) => [
    name,
    (...args: readonly unknown[]): unknown => {
      const run = method as unknown as Method;
      if (!name.startsWith('follow')) return call(name, run, args);
      return follow(run(...args) as Following<unknown>);
    },
  ]);
  return {
    guest: harden(Object.fromEntries(wrapped)) as Guest,
    calls,
    isDead,
    died,
    kill,
  };
};
