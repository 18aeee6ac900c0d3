/** Sums with `+ - * /`, brackets and decimals: exact, bounded, and without eval. */

/** A fraction; `over` is positive. */
type Fraction = { readonly top: bigint; readonly over: bigint };

export type SumOutcome =
  | { readonly type: 'value'; readonly text: string }
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'not-a-sum' };

const LONGEST_SUM = 200;
const DEEPEST_BRACKETS = 20;
const SUM_CHARS = /^[\d\s.,+\-*/×÷·()]+$/;

class SumError extends Error {}

const gcd = (a: bigint, b: bigint): bigint =>
  b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b);

const makeFraction = (top: bigint, over: bigint): Fraction => {
  if (over === 0n) throw new SumError('nothing can be divided by zero');
  const common = gcd(top, over) * (over < 0n ? -1n : 1n);
  return { top: top / common, over: over / common };
};

const minus = ({ top, over }: Fraction): Fraction => ({ top: -top, over });

const OPERATIONS: Readonly<
  Record<string, (a: Fraction, b: Fraction) => Fraction>
> = {
  '+': (a, b) => makeFraction(a.top * b.over + b.top * a.over, a.over * b.over),
  '-': (a, b) => makeFraction(a.top * b.over - b.top * a.over, a.over * b.over),
  '*': (a, b) => makeFraction(a.top * b.top, a.over * b.over),
  '/': (a, b) => makeFraction(a.top * b.over, a.over * b.top),
};

const parseNumber = (text: string): Fraction => {
  const [whole = '', decimals = ''] = text.split('.');
  return makeFraction(
    BigInt(`${whole}${decimals}`),
    10n ** BigInt(decimals.length),
  );
};

/** Recursive descent over the tokens; throws a SumError. */
const evaluate = (tokens: readonly string[]): Fraction => {
  let at = 0;
  let depth = 0;
  const fold = (
    operators: readonly string[],
    operand: () => Fraction,
  ): Fraction => {
    let value = operand();
    for (;;) {
      const operator = tokens[at] ?? '';
      const operation = operators.includes(operator)
        ? OPERATIONS[operator]
        : undefined;
      if (!operation) return value;
      at += 1;
      value = operation(value, operand());
    }
  };
  const factor = (): Fraction => {
    const token = tokens[at] ?? '';
    at += 1;
    if (token === '-') return minus(factor());
    if (token === '(') return bracketed();
    if (/^\d/.test(token)) return parseNumber(token);
    throw new SumError(
      token === ''
        ? 'the sum ends too early'
        : `"${token}" is in the wrong place`,
    );
  };
  const sum = (): Fraction => fold(['+', '-'], () => fold(['*', '/'], factor));
  const bracketed = (): Fraction => {
    depth += 1;
    if (depth > DEEPEST_BRACKETS)
      throw new SumError('there are too many brackets in brackets');
    const value = sum();
    if (tokens[at] !== ')') throw new SumError('a bracket is not closed');
    at += 1;
    depth -= 1;
    return value;
  };
  const value = sum();
  if (at < tokens.length)
    throw new SumError(`"${tokens[at] ?? ''}" is in the wrong place`);
  return value;
};

/** Decimal where that is exact, else a fraction: `7`, `-0.25`, `1/3`. */
const format = ({ top, over }: Fraction): string => {
  if (over === 1n) return `${top}`;
  for (let digits = 1; digits <= 30; digits += 1) {
    const scaled = top * 10n ** BigInt(digits);
    if (scaled % over !== 0n) continue;
    const value = scaled / over;
    const text = `${value < 0n ? -value : value}`.padStart(digits + 1, '0');
    const sign = value < 0n ? '-' : '';
    return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}`;
  }
  return `${top}/${over}`;
};

/** The value of `text`, when it is a sum. Contract: never throws. */
export const solveSum = (text: string): SumOutcome => {
  const isSum =
    SUM_CHARS.test(text) && /\d/.test(text) && /[+\-*/×÷·]/.test(text);
  if (!isSum) return { type: 'not-a-sum' };
  if (text.length > LONGEST_SUM) {
    return {
      type: 'refused',
      reason: `the sum is longer than ${LONGEST_SUM} characters`,
    };
  }
  const plain = text
    .replace(/[×·]/g, '*')
    .replaceAll('÷', '/')
    .replace(/(\d),(?=\d{3})/g, '$1');
  const tokens = plain.match(/\d+(?:\.\d+)?|[-+*/()]|[^\s]/g) ?? [];
  try {
    return { type: 'value', text: format(evaluate(tokens)) };
  } catch (error) {
    if (error instanceof SumError)
      return { type: 'refused', reason: error.message };
    throw error;
  }
};
harden(solveSum);
