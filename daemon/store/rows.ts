/**
 * Rows of `node:sqlite` have a null prototype and must not be hardened. These
 * read single columns out of them, with the type that the schema promises.
 */
export type Row = Record<string, unknown>;

export const textOf = (row: Row, column: string): string => {
  const value = row[column];
  if (typeof value !== 'string') {
    throw Error(
      `The state is damaged: column ${column} should be text, and is ${typeof value}`,
    );
  }
  return value;
};
harden(textOf);

export const optionalTextOf = (row: Row, column: string): string | undefined =>
  row[column] === null || row[column] === undefined
    ? undefined
    : textOf(row, column);
harden(optionalTextOf);

export const numberOf = (row: Row, column: string): bigint => {
  const value = row[column];
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw Error(
      `The state is damaged: column ${column} should be a number, and is ${typeof value}`,
    );
  }
  return BigInt(value);
};
harden(numberOf);
