import type { CliPowers, Output } from './powers.ts';

/** Broken at spaces to the width; words longer than a line are left whole. */
export const wrap = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => wrapLine(line, width))
    .join('\n');
harden(wrap);

const wrapLine = (line: string, width: number): string => {
  if (line.length <= width) return line;
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current);
      current = word;
    } else {
      current = current === '' ? word : `${current} ${word}`;
    }
  }
  return [...lines, current].join('\n');
};

/** Every line set in by as many spaces: no text of others starts a line. */
export const indent = (text: string, spaces: number): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : `${' '.repeat(spaces)}${line}`))
    .join('\n');
harden(indent);

/** Set in, and on a terminal broken to its width. A pipe gets lines whole. */
export const paragraph = (
  output: Output,
  text: string,
  spaces: number,
): string =>
  indent(
    output.isTTY ? wrap(text, Math.max(20, output.columns - spaces)) : text,
    spaces,
  );
harden(paragraph);

/** Emphasis, on a terminal that has not asked for none. */
export const makeEmphasis = (
  output: Output,
  env: CliPowers['env'],
): { bold: (text: string) => string; dim: (text: string) => string } => {
  const coloured = output.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = (on: number, off: number) => (text: string) =>
    coloured ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return harden({ bold: paint(1, 22), dim: paint(2, 22) });
};
harden(makeEmphasis);
