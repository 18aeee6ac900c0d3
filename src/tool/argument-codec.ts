import { makeMarshal } from '@endo/marshal';

/**
 * From what a model wrote to what a tool is given, one function a kind of
 * parameter. The schema directs: a text is taken as it is, and only a passable
 * is read as SmallCaps (architecture.md, "Arguments"; seed defect 1).
 *
 * Contract: none throws; `{ ok: false }` when the value does not fit.
 */
export type Decoding<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false };

const REFUSED: Decoding<never> = harden({ ok: false });

const accept = <T>(value: T): Decoding<T> => harden({ ok: true, value });

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

/** What a text holds when it is a JSON list, `undefined` otherwise. */
const parseList = (text: string): readonly unknown[] | undefined => {
  if (!text.trimStart().startsWith('[')) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown[]) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) {
      // Prose that begins with a bracket.
      return undefined;
    }
    throw error;
  }
};

export const decodeText = (given: unknown): Decoding<string> =>
  typeof given === 'string' ? accept(given) : REFUSED;
harden(decodeText);

/** A list of texts, the same as a JSON string, or one text for a list of one. */
export const decodeTextList = (given: unknown): Decoding<readonly string[]> => {
  if (typeof given === 'string') {
    const list = parseList(given);
    return accept(isTexts(list) ? list : [given]);
  }
  return isTexts(given) ? accept([...given]) : REFUSED;
};
harden(decodeTextList);

export const decodeFlag = (given: unknown): Decoding<boolean> => {
  if (given === true || given === 'true') {
    return accept(true);
  }
  return given === false || given === 'false' ? accept(false) : REFUSED;
};
harden(decodeFlag);

const DIGITS = /^\+?(\d{1,18})n?$/;

/** `5`, `"5"`, `"+5"` (SmallCaps) and `"5n"` (as results show it) are 5n. */
export const decodeMessageNumber = (given: unknown): Decoding<bigint> => {
  if (typeof given === 'number') {
    return Number.isSafeInteger(given) && given >= 0
      ? accept(BigInt(given))
      : REFUSED;
  }
  if (typeof given === 'bigint') {
    return given >= 0n ? accept(given) : REFUSED;
  }
  const digits =
    typeof given === 'string' ? DIGITS.exec(given.trim())?.[1] : undefined;
  return digits === undefined ? REFUSED : accept(BigInt(digits));
};
harden(decodeMessageNumber);

const isPath = (value: unknown): value is readonly string[] =>
  isTexts(value) && value.length > 0 && !value.includes('');

/** A name, `a/b`, a list of names, or that list as a JSON string; not empty. */
export const decodePath = (given: unknown): Decoding<readonly string[]> => {
  if (typeof given === 'string') {
    const path = parseList(given) ?? given.split('/');
    return isPath(path) ? accept(path) : REFUSED;
  }
  return isPath(given) ? accept([...given]) : REFUSED;
};
harden(decodePath);

/** Several names or paths; one text is a list of one. */
export const decodePathList = (
  given: unknown,
): Decoding<readonly (readonly string[])[]> => {
  const items =
    typeof given === 'string' ? (parseList(given) ?? [given]) : given;
  if (!Array.isArray(items)) {
    return REFUSED;
  }
  const paths: (readonly string[])[] = [];
  for (const item of items) {
    const path = decodePath(item);
    if (!path.ok) {
      return REFUSED;
    }
    paths.push(path.value);
  }
  return accept(paths);
};
harden(decodePathList);

/** The name of a value within a message, with or without the `@` of prose. */
export const decodeEdgeName = (given: unknown): Decoding<string> => {
  const name = typeof given === 'string' ? given.replace(/^@/, '') : '';
  return name === '' ? REFUSED : accept(name);
};
harden(decodeEdgeName);

export const decodeEdgeNameList = (
  given: unknown,
): Decoding<readonly string[]> => {
  const texts = decodeTextList(given);
  if (!texts.ok) {
    return REFUSED;
  }
  const names = texts.value.map((text) => text.replace(/^@/, ''));
  return names.includes('') ? REFUSED : accept(names);
};
harden(decodeEdgeNameList);

const smallcaps = makeMarshal(undefined, undefined, {
  serializeBodyFormat: 'smallcaps',
});

/** SmallCaps where it is SmallCaps, else the plain JSON value. */
export const decodePassable = (given: unknown): Decoding<unknown> => {
  try {
    const body = `#${JSON.stringify(given)}`;
    return accept(
      smallcaps.fromCapData(harden({ body, slots: [] })) as unknown,
    );
  } catch {
    // Ordinary prose, such as "- item" or "$5": meant as it stands.
    return accept(given);
  }
};
harden(decodePassable);
