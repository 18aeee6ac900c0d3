/** Reads what some server sent: nothing of its shape is trusted. */

export type Fields = { readonly [key: string]: unknown };

/** The fields of a record; none for anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
harden(fieldsOf);

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : [];
harden(listOf);

/** A text, or the texts of its parts: some servers send content in parts. */
export const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return listOf(value)
    .map((part) => textOf(fieldsOf(part)['text']))
    .join('');
};
harden(textOf);

/** A number of tokens; 0 for what no number of tokens can be. */
export const countOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0
    ? Math.min(Math.floor(value), 1e9)
    : 0;
harden(countOf);

/** The value of a JSON text; undefined for any other text. */
export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
harden(parseJson);

/** The fields of a JSON object's text; undefined for any other text. */
export const jsonObjectIn = (text: string): Fields | undefined => {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : undefined;
};
harden(jsonObjectIn);
