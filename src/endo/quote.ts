/**
 * Text of others as one JSON string on one line. Nothing in it can end the
 * string, start a line, reverse the reading order or be there unseen.
 */

// Controls, format characters (bidi marks, tags), separators, private use. The
// joiners U+200C and U+200D stay: Persian and emoji are written with them.
const UNSEEN = /(?![\u{200c}\u{200d}])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu;
const NOT_ASCII = /[^\x20-\x7e]/gu;

const escapeUnits = (text: string): string =>
  Array.from(
    { length: text.length },
    (_, index) =>
      String.raw`\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');

/** A JSON string in which everything that cannot be seen is escaped. */
export const quoteText = (text: string): string =>
  JSON.stringify(text).replace(UNSEEN, escapeUnits);
harden(quoteText);

/** A JSON string of ASCII alone, so that letters that look alike do not. */
export const quoteAscii = (text: string): string =>
  JSON.stringify(text).replace(NOT_ASCII, escapeUnits);
harden(quoteAscii);
