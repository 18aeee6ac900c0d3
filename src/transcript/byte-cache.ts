/** Keeps what was used last, up to so many bytes. */
export type ByteCache<T> = {
  readonly get: (key: string) => T | undefined;
  /** What is larger than the whole cache is not kept. */
  readonly set: (key: string, value: T) => void;
  readonly delete: (key: string) => void;
  /** Bytes held, as `sizeOf` counts them. */
  readonly bytes: () => number;
};

type Held<T> = { readonly value: T; readonly size: number };

/**
 * Least recently used goes first.
 *
 * @param sizeOf - bytes of a value, which never changes afterwards
 */
export const makeByteCache = <T>(
  maxBytes: number,
  sizeOf: (value: T) => number,
): ByteCache<T> => {
  // The order of insertion is the order of use: a hit is inserted anew.
  const held = new Map<string, Held<T>>();
  let bytes = 0;

  const drop = (key: string): void => {
    bytes -= held.get(key)?.size ?? 0;
    held.delete(key);
  };

  return harden({
    get: (key: string) => {
      const found = held.get(key);
      if (found === undefined) return undefined;
      held.delete(key);
      held.set(key, found);
      return found.value;
    },
    set: (key: string, value: T) => {
      drop(key);
      const size = sizeOf(value);
      if (size > maxBytes) return;
      held.set(key, { value, size });
      bytes += size;
      for (const oldest of held.keys()) {
        if (bytes <= maxBytes) break;
        drop(oldest);
      }
    },
    delete: drop,
    bytes: () => bytes,
  });
};
harden(makeByteCache);
