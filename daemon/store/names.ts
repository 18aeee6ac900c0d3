import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';
import { textOf } from './rows.ts';

export type NameEntry = { readonly name: string; readonly id: FormulaId };

/** Which pet name, in which directory, stands for which value. */
export type NameStore = {
  readonly get: (directory: FormulaId, name: string) => FormulaId | undefined;
  readonly set: (directory: FormulaId, name: string, id: FormulaId) => void;
  readonly remove: (directory: FormulaId, name: string) => void;
  /** In alphabetical order. */
  readonly list: (directory: FormulaId) => readonly NameEntry[];
  readonly namesOf: (directory: FormulaId, id: FormulaId) => readonly string[];
  /** The directories that have a name for this value. */
  readonly holders: (id: FormulaId) => readonly FormulaId[];
};

export const makeNameStore = (database: Database): NameStore => {
  const select = database.prepare(
    'SELECT id FROM names WHERE directory = ? AND name = ?',
  );
  const upsert = database.prepare(
    'INSERT INTO names (directory, name, id) VALUES (?, ?, ?) ON CONFLICT (directory, name) DO UPDATE SET id = excluded.id',
  );
  const remove = database.prepare(
    'DELETE FROM names WHERE directory = ? AND name = ?',
  );
  const selectAll = database.prepare(
    'SELECT name, id FROM names WHERE directory = ? ORDER BY name',
  );
  const selectNames = database.prepare(
    'SELECT name FROM names WHERE directory = ? AND id = ? ORDER BY name',
  );
  const selectHolders = database.prepare(
    'SELECT DISTINCT directory FROM names WHERE id = ?',
  );

  return harden({
    get: (directory, name) => {
      const row = select.get(directory, name);
      return row === undefined ? undefined : textOf(row, 'id');
    },
    set: (directory, name, id) => {
      upsert.run(directory, name, id);
    },
    remove: (directory, name) => {
      remove.run(directory, name);
    },
    list: (directory) =>
      harden(
        selectAll
          .all(directory)
          .map((row) => ({ name: textOf(row, 'name'), id: textOf(row, 'id') })),
      ),
    namesOf: (directory, id) =>
      harden(selectNames.all(directory, id).map((row) => textOf(row, 'name'))),
    holders: (id) =>
      harden(selectHolders.all(id).map((row) => textOf(row, 'directory'))),
  });
};
harden(makeNameStore);
