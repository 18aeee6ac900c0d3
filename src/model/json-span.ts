/**
 * A scanner that finds where a JSON value ends without parsing it, so that
 * tags inside of strings are not taken for tags, and so that a value which is
 * cut off or slightly wrong can still be taken apart.
 */

const SPACE = /\s/;

export const skipSpace = (text: string, from: number): number => {
  let at = from;
  while (at < text.length && SPACE.test(text.charAt(at))) at += 1;
  return at;
};
harden(skipSpace);

/** The index after the string that opens at `from`, or -1 if it never closes. */
const endOfString = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '\\') at += 1;
    else if (char === '"') return at + 1;
  }
  return -1;
};

/**
 * The index after the object or array that opens at `from`, or -1 when it is
 * not closed. Outside of strings JSON has neither `<` nor `\`, so the scan
 * gives up there: many broken values in a row cost no more than their length.
 */
export const endOfBrackets = (text: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') {
      const end = endOfString(text, at);
      if (end < 0) return -1;
      at = end - 1;
    } else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (char === '<' || char === '\\') return -1;
  }
  return -1;
};
harden(endOfBrackets);

const SCALAR_END = /[,}\]]/;

/** The index after the value at `from`; the end of the text if it never ends. */
const endOfValue = (text: string, from: number): number => {
  const char = text.charAt(from);
  const end =
    char === '"'
      ? endOfString(text, from)
      : char === '{' || char === '['
        ? endOfBrackets(text, from)
        : from + text.slice(from).search(SCALAR_END);
  return end < from ? text.length : end;
};

/**
 * The entries of the object that opens at `from`, as the source texts of their
 * values. Tolerant: reads as far as it understands, and the last value may be
 * cut off. The first of two equal keys wins.
 */
export const readEntries = (
  text: string,
  from = 0,
): ReadonlyMap<string, string> => {
  const entries = new Map<string, string>();
  let at = skipSpace(text, from + 1);
  while (text.charAt(at) === '"') {
    const keyEnd = endOfString(text, at);
    if (keyEnd < 0) break;
    const key = text.slice(at + 1, keyEnd - 1);
    at = skipSpace(text, keyEnd);
    if (text.charAt(at) !== ':') break;
    at = skipSpace(text, at + 1);
    const end = endOfValue(text, at);
    if (!entries.has(key)) entries.set(key, text.slice(at, end).trim());
    at = skipSpace(text, end);
    if (text.charAt(at) !== ',') break;
    at = skipSpace(text, at + 1);
  }
  return entries;
};
harden(readEntries);
