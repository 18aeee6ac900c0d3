/** Says when the same call has come back with the same result too often. */
export type Repetition = {
  readonly note: (call: {
    readonly name: string;
    readonly argumentsText: string;
    readonly content: string;
  }) => boolean;
};

/** A model that repeats a call with an unchanged result is going in circles. */
export const makeRepetition = (limit = 3): Repetition => {
  const counts = new Map<string, number>();
  return harden({
    note: ({
      name,
      argumentsText,
      content,
    }: {
      readonly name: string;
      readonly argumentsText: string;
      readonly content: string;
    }) => {
      const key = JSON.stringify([name, argumentsText, content]);
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count >= limit;
    },
  });
};
harden(makeRepetition);
