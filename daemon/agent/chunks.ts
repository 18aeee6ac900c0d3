/** Bytes that come in pieces of any length, kept in chunks of one length. */
export type Chunks = {
  readonly add: (bytes: Uint8Array) => void;
  /** All of them, each full but for the last. Nothing is added after it. */
  readonly end: () => readonly Uint8Array[];
};

export const makeChunks = (chunkBytes: number): Chunks => {
  const full: Uint8Array[] = [];
  let open = new Uint8Array(chunkBytes);
  let filled = 0;

  return harden({
    add: (bytes) => {
      for (let start = 0; start < bytes.length;) {
        if (filled === chunkBytes) {
          full.push(open);
          open = new Uint8Array(chunkBytes);
          filled = 0;
        }
        const part = bytes.subarray(start, start + chunkBytes - filled);
        open.set(part, filled);
        filled += part.length;
        start += part.length;
      }
    },
    end: () => (filled === 0 ? full : [...full, open.subarray(0, filled)]),
  });
};
harden(makeChunks);
