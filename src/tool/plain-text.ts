// Controls, format characters (bidi marks, zero widths, tags), separators,
// private use, lone surrogates, and the selectors that can carry hidden text.
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\u{fe00}-\u{fe0f}\u{e0100}-\u{e01ef}]+/gu;

/**
 * Text of somebody else on one line, without what cannot be seen, and not
 * longer than `limit` UTF-16 code units.
 */
export const toPlainText = (text: string, limit: number): string => {
  const line = text
    // Twice what can be shown is enough to look at.
    .slice(0, limit * 4)
    .replace(UNSEEN, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
  if (line.length <= limit) return line;
  // Not within a pair of surrogates.
  return `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/u, '')}…`;
};
harden(toPlainText);
