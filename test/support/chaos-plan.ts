/** What the test tells the process of its agents: who runs, and who stands still where. */

export type ChaosPoint = {
  /** Of the call, as `chaos-labels` names it. */
  readonly label: string;
  readonly side: 'before' | 'after';
};

export type ChaosPlan = {
  readonly agents: readonly {
    readonly name: string;
    readonly point?: ChaosPoint;
  }[];
};
