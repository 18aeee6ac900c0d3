/** Characters of a purpose that the HOST is shown. */
const LONGEST = 300;

// What cannot be seen, and every end of a line.
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]+/gu;

/**
 * Source with what it is for on top, as one line of comment: the proposer's
 * words, which cannot end the comment. A compartment refuses source that looks
 * like an HTML comment, a direct eval or a dynamic import even there, so those
 * are parted; it looks beyond the end of the line, where the source may begin
 * with a parenthesis.
 */
export const withPurpose = (source: string, purpose: string): string => {
  const line = purpose
    .replaceAll(UNSEEN, ' ')
    .trim()
    .slice(0, LONGEST)
    .replaceAll('<!--', '<! --')
    .replaceAll('-->', '-- >')
    .replaceAll(/\b(import|eval)(\s*)(?=[(/]|$)/gu, '$1:$2');
  return line === '' ? source : `// purpose: ${line}\n${source}`;
};
harden(withPurpose);

/** The source alone, for comparing two proposals. */
export const withoutPurpose = (source: string): string =>
  source.replace(/^\/\/ purpose: .*\n/u, '');
harden(withoutPurpose);
