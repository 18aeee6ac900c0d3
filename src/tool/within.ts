export type TimePowers = {
  readonly timeoutMs: number;
  /** Calls `fire` once after the delay; returns what stops it. */
  readonly startTimer: (delayMs: number, fire: () => void) => () => void;
};

/** What `running` comes to, or a rejection when that takes too long. */
export const within = <T>(
  running: Promise<T>,
  { timeoutMs, startTimer }: TimePowers,
  what: string,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const stopTimer = startTimer(timeoutMs, () =>
      reject(Error(`${what} within ${timeoutMs} ms`)),
    );
    running.finally(stopTimer).then(resolve, reject);
  });
harden(within);
