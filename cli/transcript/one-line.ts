import { visibleLine } from '../visible.ts';

/** On one line of at most so many characters, nothing of it unseen. */
export const oneLine = (text: string, most: number): string => {
  // A text may be megabytes: what is cut off anyway is not looked at.
  const beginning = text
    .slice(0, 4 * most)
    .replaceAll(/\s+/gu, ' ')
    .trim();
  const letters = Array.from(visibleLine(beginning));
  return letters.length <= most && beginning.length < 4 * most
    ? letters.join('')
    : `${letters.slice(0, Math.max(0, most - 1)).join('')}…`;
};
harden(oneLine);
