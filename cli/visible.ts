/**
 * Text of strangers must not drive the terminal: escape sequences, carriage
 * returns, and the marks that reorder or hide text are written out.
 */

// Controls but for the line feed; marks of direction and of width zero that
// serve no script (joiners do: they stay); line and paragraph separators; tags.
const UNSEEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu;

const spell = (character: string): string => {
  if (character === '\t') return '    ';
  const code = character.codePointAt(0) ?? 0;
  return `\\u{${code.toString(16)}}`;
};

/** The text with every character that cannot be seen written as `\u{…}`. */
export const visible = (text: string): string =>
  text.replaceAll('\r\n', '\n').replaceAll(UNSEEN, spell);
harden(visible);

/** The same, for a name or another thing that stands in a line. */
export const visibleLine = (text: string): string =>
  visible(text).replaceAll('\n', '\\n');
harden(visibleLine);
