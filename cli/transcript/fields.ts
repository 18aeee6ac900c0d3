/**
 * Reads what a guest has stored. The guest could have stored anything: what
 * does not fit is an error that says where.
 */
export type Fields = Readonly<Record<string, unknown>>;

const wrong = (key: string, wanted: string): Error =>
  Error(`its "${key}" is not ${wanted}`);

export const fieldsOf = (value: unknown, key: string): Fields => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Fields;
  }
  throw wrong(key, 'a record');
};
harden(fieldsOf);

export const textIn = (fields: Fields, key: string): string => {
  const value = fields[key];
  if (typeof value === 'string') return value;
  throw wrong(key, 'text');
};
harden(textIn);

export const textOrNullIn = (fields: Fields, key: string): string | null =>
  fields[key] === null ? null : textIn(fields, key);
harden(textOrNullIn);

export const countIn = (fields: Fields, key: string): number => {
  const value = fields[key];
  if (typeof value === 'number' && value >= 0) return value;
  throw wrong(key, 'a count');
};
harden(countIn);

export const flagIn = (fields: Fields, key: string): boolean => {
  const value = fields[key];
  if (typeof value === 'boolean') return value;
  throw wrong(key, 'true or false');
};
harden(flagIn);

export const numberIn = (fields: Fields, key: string): bigint => {
  const value = fields[key];
  if (typeof value === 'bigint') return value;
  throw wrong(key, 'a message number');
};
harden(numberIn);

export const listIn = (fields: Fields, key: string): readonly unknown[] => {
  const value = fields[key];
  if (Array.isArray(value)) return value as unknown[];
  throw wrong(key, 'a list');
};
harden(listIn);

/** The format that this command line reads. */
const FORMAT = 1;

/** A stored record, once its format is known to be this one. */
export const recordOf = (stored: unknown): Fields => {
  const fields = fieldsOf(stored, 'value');
  const { version } = fields;
  if (version === FORMAT) return fields;
  throw Error(
    typeof version === 'number'
      ? `it has format ${version}, and this hob reads format ${FORMAT}; use a newer one`
      : wrong('version', 'a number').message,
  );
};
harden(recordOf);
