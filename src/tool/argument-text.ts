import { jsonrepair } from 'jsonrepair';

import { isFaithfulRepair } from './faithful-repair.ts';

/** The longest argument text that is read, in UTF-16 code units. */
export const MAX_ARGUMENT_TEXT = 256 * 1024;
harden(MAX_ARGUMENT_TEXT);
const MAX_DEPTH = 64;

export type PlainRecord = { readonly [key: string]: unknown };

/** Refuses what no tool wants and what a careless reader could be hurt by. */
const assertTame = (value: unknown, depth = 0): void => {
  if (typeof value !== 'object' || value === null) {
    return;
  }
  if (depth > MAX_DEPTH) {
    throw Error(
      `The arguments are nested deeper than ${MAX_DEPTH} levels. Send a flatter value.`,
    );
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key === '__proto__') {
      throw Error(
        'The arguments have a key "__proto__", which is not allowed.',
      );
    }
    assertTame(inner, depth + 1);
  }
};

const parseOrRepair = (text: string): unknown => {
  let complaint: string;
  try {
    return JSON.parse(text);
  } catch (error) {
    complaint = (error as Error).message;
  }
  let repaired: string | undefined;
  try {
    repaired = jsonrepair(text);
  } catch (error) {
    complaint = `${complaint}; not repairable either: ${(error as Error).message}`;
  }
  if (repaired !== undefined && isFaithfulRepair(text, repaired)) {
    return JSON.parse(repaired);
  }
  throw Error(
    `The arguments are not valid JSON, and could not be repaired without guessing (${complaint}). Send the whole call again with one complete JSON object.`,
  );
};

const describeKind = (value: unknown): string => {
  if (Array.isArray(value)) {
    return 'a list';
  }
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
};

/**
 * Reads the argument text of a tool call as a plain, hardened record.
 *
 * No text and `null` are `{}`. A text that holds the object encoded a second
 * time is unwrapped. JSON that is a little off is repaired only where nothing
 * has to be guessed (see `faithful-repair.ts`). Anything else throws an `Error`
 * that says what is wrong and where; there is no silent fallback (seed defect 2).
 */
export const parseArgumentText = (argumentsText: string): PlainRecord => {
  if (argumentsText.length > MAX_ARGUMENT_TEXT) {
    throw Error(
      `The arguments have ${argumentsText.length} characters; at most ${MAX_ARGUMENT_TEXT} are read. Send less in one call.`,
    );
  }
  const text = argumentsText.trim();
  if (text === '') {
    return harden({});
  }
  let value = parseOrRepair(text);
  if (typeof value === 'string') {
    value = value.trim() === '' ? {} : parseOrRepair(value);
  }
  if (value === null) {
    return harden({});
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw Error(
      `The arguments are ${describeKind(value)}; one JSON object is wanted, with the parameters by name.`,
    );
  }
  assertTame(value);
  return harden(value) as PlainRecord;
};
harden(parseArgumentText);
