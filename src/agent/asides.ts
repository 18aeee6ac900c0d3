/**
 * What a conversation should hear of at its next turn, although it happened in
 * another one: that somebody has answered mail sent on its behalf.
 */
export type Asides = {
  /** For the conversation that holds this turn. */
  readonly add: (turn: string, line: string) => void;
  /** What there is for a conversation of these turns; told once. */
  readonly take: (turns: readonly string[]) => readonly string[];
};

const MOST_LINES = 20;

export const makeAsides = (): Asides => {
  const lines = new Map<string, string[]>();
  return harden({
    add: (turn: string, line: string) => {
      const present = lines.get(turn) ?? [];
      lines.set(turn, [...present, line].slice(-MOST_LINES));
    },
    take: (turns: readonly string[]) => {
      const taken = turns.flatMap((turn) => lines.get(turn) ?? []);
      for (const turn of turns) lines.delete(turn);
      return taken;
    },
  });
};
harden(makeAsides);
