import { makePromiseKit } from '@endo/promise-kit';

/** Waiting that has an end, whatever becomes of what is waited for. */
export type Patience = {
  /** Settles as the promise does; resolves with `late` when the time is over. */
  readonly wait: <T>(promise: Promise<T>) => Promise<T | 'late'>;
  /** Everything is late, what is waited for now and from now on. */
  readonly end: () => void;
};

export const makePatience = ({
  limitMs,
  startTimer,
}: {
  readonly limitMs: number;
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
}): Patience => {
  const waiting = new Set<() => void>();
  let over = false;

  return harden({
    wait: <T>(promise: Promise<T>) => {
      const kit = makePromiseKit<T | 'late'>();
      if (over) kit.resolve('late');
      const late = (): void => kit.resolve('late');
      const stopTimer = over ? () => undefined : startTimer(limitMs, late);
      waiting.add(late);
      const settled = (): void => {
        waiting.delete(late);
        stopTimer();
      };
      promise.then(kit.resolve, kit.reject);
      kit.promise.then(settled, settled);
      return kit.promise;
    },
    end: () => {
      over = true;
      for (const late of waiting) late();
    },
  });
};
harden(makePatience);
