/**
 * About how many tokens a text has, without a model's own tokenizer. The
 * weights were fitted to two public vocabularies: prose, code, JSON and ids
 * come out 5–20 % too high, scripts other than Latin up to 70 % (by the newer
 * vocabulary), random letters too low.
 */
type Kind = 'none' | 'lower' | 'upper' | 'digit' | 'space' | 'mark' | 'other';

const kindOf = (unit: number): Kind => {
  if (unit >= 97 && unit <= 122) return 'lower';
  if (unit >= 65 && unit <= 90) return 'upper';
  if (unit >= 48 && unit <= 57) return 'digit';
  if (unit === 32 || (unit >= 9 && unit <= 13)) return 'space';
  return unit < 128 ? 'mark' : 'other';
};

const SPACE = 32;
/** Words up to here are mostly one token; what is longer is pieced together. */
const LONG_WORD = 6;
/** Most vocabularies take digits in groups. */
const DIGITS_A_TOKEN = 3;

/** UTF-16 units beyond ASCII: by how well vocabularies know their scripts. */
const weightOfOther = (unit: number): number => {
  if (unit < 0x300) return 0.9;
  if (unit < 0x600) return 0.5;
  return unit < 0x2000 ? 0.65 : 1.15;
};

/** @param nth - position of the unit among its like, from 1 */
const weightOf = (
  kind: Kind,
  unit: number,
  nth: number,
  before: Kind,
): number => {
  switch (kind) {
    case 'lower':
    case 'upper':
      if (nth === 1) return 1;
      return nth > LONG_WORD ? 0.35 : 0.05;
    case 'digit':
      if (nth % DIGITS_A_TOKEN !== 1) return 0.15;
      return before === 'space' ? 2 : 1.2;
    case 'space':
      if (unit === SPACE) return 0.05;
      return nth === 1 ? 0.6 : 0.1;
    case 'mark':
      return nth === 1 ? 0.7 : 0.5;
    default:
      return weightOfOther(unit);
  }
};

export const textWeight = (text: string): number => {
  let weight = 0;
  let before: Kind = 'none';
  let nth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const kind = kindOf(unit);
    const isCapitalized = kind === 'lower' && before === 'upper' && nth === 1;
    nth = kind === before || isCapitalized ? nth + 1 : 1;
    weight += weightOf(kind, unit, nth, before);
    before = kind;
  }
  return weight;
};
harden(textWeight);
