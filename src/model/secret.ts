/**
 * A text that must not be printed, stored or sent by accident. It reads
 * `[secret]` wherever it is shown, and marshal refuses to pass it.
 */
export type Secret = {
  /** The text itself. Call this only where it is used. */
  readonly reveal: () => string;
  readonly toString: () => string;
  readonly toJSON: () => string;
};

const HIDDEN = '[secret]';
const inspectKey = Symbol.for('nodejs.util.inspect.custom');

export const makeSecret = (text: string): Secret => {
  const hidden = () => HIDDEN;
  return harden({
    reveal: () => text,
    toString: hidden,
    toJSON: hidden,
    [Symbol.toPrimitive]: hidden,
    [inspectKey]: hidden,
  });
};
harden(makeSecret);

/** `text` without the secret, for texts that others wrote (a server's error). */
export const withoutSecret = (text: string, secret?: Secret): string => {
  const value = secret?.reveal() ?? '';
  return value === '' ? text : text.replaceAll(value, HIDDEN);
};
harden(withoutSecret);
