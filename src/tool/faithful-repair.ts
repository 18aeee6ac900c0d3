/**
 * Whether a repaired JSON text says what the broken one said. A repair library
 * always comes up with something; a tool call must not run on a guess. So both
 * texts are read as tokens, and only these differences pass:
 *
 * - single instead of double quotes, raw control characters in a string;
 * - an unquoted identifier as a key; `True`, `False`, `None`;
 * - a comma before a closing bracket that is there;
 * - brackets missing at the very end, after a value that is certainly whole (a
 *   number at the end may have lost digits, a comma announces more).
 */

type Token = {
  readonly kind: 'mark' | 'string' | 'number' | 'word';
  readonly value: string;
};

const SPACE = /\s+/y;
const MARK = /[{}[\],:]/y;
const NUMBER = /-?\d[\d.eE+-]*/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const DOUBLE = /"[^"\\]*(?:\\[^][^"\\]*)*"/y;
const SINGLE = /'[^'\\]*(?:\\[^][^'\\]*)*'/y;
const PYTHON: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);

const UNQUOTED: ReadonlyMap<string, string> = new Map([
  ["\\'", "'"],
  ['"', '\\"'],
]);

/** The text that a string token stands for, `undefined` for a bad escape. */
const readString = (token: string): string | undefined => {
  const inner = token.slice(1, -1);
  const strict = inner
    // In single quotes a double one stands bare, and a single one is escaped.
    .replace(/\\[^]|"/g, (part) => UNQUOTED.get(part) ?? part)
    .replace(/[\u0000-\u001f]/g, (char) => JSON.stringify(char).slice(1, -1));
  try {
    return JSON.parse(`"${strict}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
};

const matchAt = (
  pattern: RegExp,
  text: string,
  at: number,
): string | undefined => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
};

/** Token and length at a place, `undefined` where no token can be read. */
const readToken = (
  text: string,
  at: number,
): { token: Token; length: number } | undefined => {
  for (const pattern of [DOUBLE, SINGLE]) {
    const found = matchAt(pattern, text, at);
    if (found !== undefined) {
      const value = readString(found);
      return value === undefined
        ? undefined
        : { token: { kind: 'string', value }, length: found.length };
    }
  }
  for (const [kind, pattern] of [
    ['mark', MARK],
    ['number', NUMBER],
    ['word', WORD],
  ] as const) {
    const found = matchAt(pattern, text, at);
    if (found !== undefined) {
      return { token: { kind, value: found }, length: found.length };
    }
  }
  return undefined;
};

const tokenize = (text: string): readonly Token[] | undefined => {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const space = matchAt(SPACE, text, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const read = readToken(text, at);
    if (read === undefined) {
      return undefined;
    }
    tokens.push(read.token);
    at += read.length;
  }
  return tokens;
};

const isCloser = (token: Token | undefined): boolean =>
  token?.kind === 'mark' && (token.value === '}' || token.value === ']');

const isComma = (token: Token): boolean =>
  token.kind === 'mark' && token.value === ',';

const saysTheSame = (
  broken: Token,
  after: Token | undefined,
  repaired: Token,
): boolean => {
  if (broken.kind !== 'word') {
    return broken.kind === repaired.kind && broken.value === repaired.value;
  }
  const isKey = after?.kind === 'mark' && after.value === ':';
  return isKey
    ? repaired.kind === 'string' && repaired.value === broken.value
    : repaired.kind === 'word' &&
        repaired.value === (PYTHON.get(broken.value) ?? broken.value);
};

/** A value at the end of the text of which nothing can be missing. */
const isWhole = (token: Token | undefined): boolean =>
  token?.kind === 'string' || token?.kind === 'word' || isCloser(token);

export const isFaithfulRepair = (broken: string, repaired: string): boolean => {
  const before = tokenize(broken);
  const after = tokenize(repaired);
  if (before === undefined || after === undefined) {
    return false;
  }
  let at = 0;
  for (const [index, token] of before.entries()) {
    const next = before[index + 1];
    const counterpart = after[at];
    if (isComma(token) && isCloser(next)) {
      continue;
    }
    if (counterpart === undefined || !saysTheSame(token, next, counterpart)) {
      return false;
    }
    at += 1;
  }
  const added = after.slice(at);
  return (
    added.length === 0 || (isWhole(before.at(-1)) && added.every(isCloser))
  );
};
harden(isFaithfulRepair);
