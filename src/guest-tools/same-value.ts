import { makeMarshal } from '@endo/marshal';

const { toCapData } = makeMarshal(
  () => {
    throw Error('Objects are not compared');
  },
  undefined,
  { serializeBodyFormat: 'smallcaps' },
);

const writeDown = (value: unknown): string | undefined => {
  try {
    return toCapData(harden(value) as never).body;
  } catch {
    // It holds objects, or cannot be passed: it equals nothing.
    return undefined;
  }
};

/** Whether two values are the same data. Values that hold objects never are. */
export const isSameData = (left: unknown, right: unknown): boolean => {
  const written = writeDown(left);
  return written !== undefined && written === writeDown(right);
};
harden(isSameData);
