import type { Verdict } from './chaos-verdict.ts';

/** What came of many kills. */
export type Tally = {
  /** Turns that were killed. */
  turns: number;
  lost: number;
  doubled: number;
  askedTwice: number;
  unknown: number;
  lostGrants: number;
  /** Where, and what. */
  readonly failures: string[];
};

export const emptyTally = (): Tally => ({
  ...{ turns: 0, lost: 0, doubled: 0, askedTwice: 0, unknown: 0 },
  ...{ lostGrants: 0, failures: [] },
});

export const addTo = (tally: Tally, verdicts: readonly Verdict[]): void => {
  for (const verdict of verdicts) {
    const { at, lost, doubled, askedTwice, unknown } = verdict;
    tally.turns += 1;
    tally.lost += lost.length;
    tally.doubled += doubled.length;
    tally.askedTwice += askedTwice.length;
    tally.unknown += unknown;
    tally.lostGrants += verdict.lostGrants;
    const words = [
      ...lost.map((each) => `lost ${each}`),
      ...doubled.map((each) => `doubled ${each}`),
      ...askedTwice.map((step) => `asked again for answer ${step}`),
      ...(unknown > 0 ? [`${unknown} unknown`] : []),
    ];
    if (words.length > 0) tally.failures.push(`${at}: ${words.join('; ')}`);
  }
};

export const tallyText = (tally: Tally): string =>
  `${tally.turns} turns; ${tally.lost} lost, ${tally.doubled} doubled, ${tally.askedTwice} asked twice, ${tally.unknown} unknown, ${tally.lostGrants} grants lost`;
