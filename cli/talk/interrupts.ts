import type { CliPowers } from '../powers.ts';

// npm passes a Ctrl-C on to a program that the terminal has told already: two
// so close to each other are one.
const ONE_PRESS_MS = 150;

export type Interrupts = {
  /** Resolves when the person wants to leave. */
  readonly left: Promise<'left'>;
  /** While a turn runs, the first Ctrl-C calls `stop`, the second leaves. */
  readonly during: <T>(stop: () => void, body: Promise<T>) => Promise<T>;
  readonly close: () => void;
};

/** Ctrl-C once stops the running turn; twice, or once when idle, leaves. */
export const makeInterrupts = (
  powers: Pick<CliPowers, 'onInterrupt' | 'after'>,
): Interrupts => {
  let leave: (how: 'left') => void = () => undefined;
  const left = new Promise<'left'>((resolve) => {
    leave = resolve;
  });
  let stopTurn: (() => void) | undefined;
  let echo = false;
  const stopListening = powers.onInterrupt((how) => {
    if (how === 'terminate') {
      leave('left');
      return;
    }
    if (echo) return;
    echo = true;
    powers.after(ONE_PRESS_MS, () => {
      echo = false;
    });
    if (stopTurn === undefined) {
      leave('left');
      return;
    }
    const stop = stopTurn;
    stopTurn = undefined;
    stop();
  });
  return harden({
    left,
    during: async <T>(stop: () => void, body: Promise<T>): Promise<T> => {
      stopTurn = stop;
      try {
        return await body;
      } finally {
        stopTurn = undefined;
      }
    },
    close: stopListening,
  });
};
harden(makeInterrupts);
