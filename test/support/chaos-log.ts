/** What agents that are killed have noted of their calls, in a file that outlives them. */
import { readFileSync, writeFileSync } from 'node:fs';

export type ChaosLog = {
  readonly path: string;
  /** Answers of the model that this agent has on record. */
  readonly answersOf: (name: string) => number;
  /** Labels of the calls of this agent, in their order. */
  readonly callsOf: (name: string) => readonly string[];
  /** The last lines of this agent, as people read them. */
  readonly endOf: (name: string) => string;
};

/** @param path - of a file that is begun anew */
export const makeChaosLog = (path: string): ChaosLog => {
  writeFileSync(path, '');
  const linesOf = (wanted: string) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [name, event = '', label = '', answers] = line.split('\t');
        return name === wanted
          ? [{ event, label, answers: Number(answers) }]
          : [];
      });
  return {
    path,
    answersOf: (name) =>
      linesOf(name).reduce((sum, { answers }) => sum + answers, 0),
    callsOf: (name) =>
      linesOf(name).flatMap(({ event, label }) =>
        event === 'call' ? [label] : [],
      ),
    endOf: (name) =>
      linesOf(name)
        .slice(-3)
        .map(({ event, label }) => `${event} ${label}`)
        .join('; '),
  };
};
