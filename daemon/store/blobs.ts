import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';

/**
 * Bytes of a row, so that a piece is read without what is before it. Whole
 * triples: every piece but the last is base64 without padding.
 */
export const CHUNK_BYTES = 3 * 32 * 1024;
harden(CHUNK_BYTES);

/** Bytes, by the id of the formula that stands for them. They go with it. */
export type BlobStore = {
  /**
   * Within a transaction.
   *
   * @param chunks - each of `CHUNK_BYTES` bytes, but for the last
   */
  readonly put: (id: FormulaId, chunks: readonly Uint8Array[]) => void;
  /** One chunk, the first of which is 0. Throws when there is none of that number. */
  readonly read: (id: FormulaId, number: number) => Uint8Array;
};

export const makeBlobStore = (database: Database): BlobStore => {
  const insert = database.prepare(
    'INSERT INTO blob_chunks (id, number, bytes) VALUES (?, ?, ?)',
  );
  const select = database.prepare(
    'SELECT bytes FROM blob_chunks WHERE id = ? AND number = ?',
  );
  return harden({
    put: (id, chunks) => {
      for (const [number, bytes] of chunks.entries())
        insert.run(id, number, bytes);
    },
    read: (id, number) => {
      const bytes = select.get(id, number)?.['bytes'];
      if (bytes instanceof Uint8Array) return bytes;
      throw Error('The bytes of this blob are no longer here');
    },
  });
};
harden(makeBlobStore);
