import type { ProposalContent } from '../endo/guest.ts';
import { quoteAscii, quoteText } from '../endo/quote.ts';

/** The guest's own names of a value. */
export type NamesOf = (id: string) => Promise<readonly string[]>;

const shownNames = (names: readonly string[]): string =>
  names.map((name) => quoteAscii(name)).join(', ');

/**
 * What code is given, a line each: `counter: your "counter"`, or how to get it.
 * Names are the guest's own, by the ids, whatever the proposer calls them.
 */
export const bindingLines = async (
  { codeNames, ids, edgeNames }: ProposalContent,
  namesOf: NamesOf,
): Promise<readonly string[]> =>
  Promise.all(
    codeNames.map(async (codeName, index) => {
      const names = await namesOf(ids[index] ?? '');
      const value =
        names.length > 0
          ? `your ${shownNames(names)}`
          : `a value that you have no name for; adopt it from the message as ${quoteAscii(edgeNames[index] ?? '')}`;
      return `- ${quoteAscii(codeName)}: ${value}`;
    }),
  );
harden(bindingLines);

const linesOf = (source: string): readonly string[] => source.split('\n');

/** Most lines that are shown as changed; the whole code is shown beside them. */
const MOST_CHANGED = 60;

/** The lines in which two sources differ, those that frame them left out. */
export const changedLines = (
  before: string,
  after: string,
): readonly string[] => {
  const old = linesOf(before);
  const next = linesOf(after);
  const shorter = Math.min(old.length, next.length);
  let head = 0;
  while (head < shorter && old[head] === next[head]) head += 1;
  let tail = 0;
  while (
    tail < shorter - head &&
    old[old.length - 1 - tail] === next[next.length - 1 - tail]
  ) {
    tail += 1;
  }
  const changes = [
    ...old.slice(head, old.length - tail).map((line) => `- ${quoteText(line)}`),
    ...next
      .slice(head, next.length - tail)
      .map((line) => `+ ${quoteText(line)}`),
  ];
  return changes.length <= MOST_CHANGED
    ? changes
    : [...changes.slice(0, MOST_CHANGED), '(more lines differ)'];
};
harden(changedLines);
