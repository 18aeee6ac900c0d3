import { visible } from './visible.ts';

/**
 * Code of others, to be judged by eye. What JavaScript takes for the end of a
 * line is one here too, or a comment could hide what runs after it.
 */
const LINE_END = /\r\n|[\n\r\u2028\u2029]/u;

// Joiners, fillers, variation selectors and the spaces that are none of ASCII:
// harmless in prose, but in code a name could hide in them.
const UNSEEN_IN_CODE =
  /[\u00a0\u034f\u115f\u1160\u1680\u17b4\u17b5\u2000-\u200f\u202f\u205f\u2800\u3000\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]/gu;

const spell = (character: string): string =>
  `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

/** Code with every character that cannot be seen written as `\u{…}`. */
const visibleCode = (text: string): string =>
  visible(text.replaceAll(UNSEEN_IN_CODE, spell));

/** The lines of a source, as JavaScript counts them. */
export const codeLines = (source: string): readonly string[] =>
  source.split(LINE_END);
harden(codeLines);

/** Broken hard at the width: code is shown to its last column. */
const rowsOf = (line: string, width: number): readonly string[] => {
  const characters = Array.from(visibleCode(line));
  const rows: string[] = [];
  for (let at = 0; at < characters.length; at += width) {
    rows.push(characters.slice(at, at + width).join(''));
  }
  return rows.length === 0 ? [''] : rows;
};

export type NumberedCode = {
  readonly rows: readonly string[];
  readonly lines: number;
  /** Lines that are not, or not wholly, among the rows. */
  readonly missing: number;
};

/**
 * The source with a number before each of its lines; every row begins in a
 * margin of ours, so that no text of the source can pose as one.
 *
 * @param width - columns of a row, the margin included
 * @param limit - the most rows
 */
export const numberedCode = (
  source: string,
  width: number,
  limit: number,
): NumberedCode => {
  const lines = codeLines(source);
  const margin = Math.max(3, String(lines.length).length);
  const rows: string[] = [];
  let shown = 0;
  for (const [i, line] of lines.entries()) {
    if (rows.length >= limit) break;
    const parts = rowsOf(line, Math.max(20, width - margin - 2));
    for (const [k, part] of parts.entries()) {
      const mark = k === 0 ? String(i + 1) : '·';
      rows.push(`${mark.padStart(margin)}  ${part}`.trimEnd());
    }
    if (rows.length <= limit) shown += 1;
  }
  return harden({
    rows: rows.slice(0, limit),
    lines: lines.length,
    missing: lines.length - shown,
  });
};
harden(numberedCode);
