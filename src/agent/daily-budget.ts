const DAY_MS = 24 * 60 * 60 * 1000;

/** Tokens that mail from others than the HOST may cost, by the UTC day. */
export type DailyBudget = {
  readonly spent: (tokens: number) => void;
  readonly isExhausted: () => boolean;
  /** Days since the epoch. */
  readonly day: () => number;
  /** Milliseconds until the next day begins. */
  readonly untilNextDay: () => number;
};

export const makeDailyBudget = ({
  tokens,
  now,
}: {
  readonly tokens: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}): DailyBudget => {
  let day = -1;
  let used = 0;
  const turnPage = (): void => {
    const today = Math.floor(now() / DAY_MS);
    if (today === day) return;
    day = today;
    used = 0;
  };
  return harden({
    spent: (amount: number) => {
      turnPage();
      used += amount;
    },
    isExhausted: () => {
      turnPage();
      return used >= tokens;
    },
    untilNextDay: () => DAY_MS - (now() % DAY_MS),
    day: () => {
      turnPage();
      return day;
    },
  });
};
harden(makeDailyBudget);
