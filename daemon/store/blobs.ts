import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';

/** Bytes, by the id of the formula that stands for them. They go with it. */
export type BlobStore = {
  readonly put: (id: FormulaId, bytes: Uint8Array) => void;
  /** Up to `length` bytes from `start`. Throws when there are none of that id. */
  readonly read: (id: FormulaId, start: number, length: number) => Uint8Array;
};

export const makeBlobStore = (database: Database): BlobStore => {
  const insert = database.prepare(
    'INSERT INTO blobs (id, bytes) VALUES (?, ?)',
  );
  const select = database.prepare(
    'SELECT substr(bytes, ? + 1, ?) AS bytes FROM blobs WHERE id = ?',
  );
  return harden({
    put: (id, bytes) => {
      insert.run(id, bytes);
    },
    read: (id, start, length) => {
      const bytes = select.get(start, length, id)?.['bytes'];
      if (bytes instanceof Uint8Array) return bytes;
      // So SQLite says that there is nothing at that place.
      if (bytes === null) return new Uint8Array();
      throw Error('The bytes of this blob are no longer here');
    },
  });
};
harden(makeBlobStore);
