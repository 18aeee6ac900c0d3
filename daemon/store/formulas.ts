import {
  dependenciesOf,
  type Formula,
  type FormulaId,
  type FormulaType,
} from '../formula/formula.ts';
import type { Database } from './database.ts';
import { optionalTextOf, textOf } from './rows.ts';

export type FormulaStore = {
  readonly put: (id: FormulaId, formula: Formula) => void;
  readonly get: (id: FormulaId) => Formula | undefined;
  readonly typeOf: (id: FormulaId) => FormulaType | undefined;
  /** Adds to what `id` keeps from being collected. */
  readonly depend: (id: FormulaId, needs: FormulaId) => void;
  /** The formulas that need this one. */
  readonly dependents: (id: FormulaId) => readonly FormulaId[];
  readonly ofType: (type: FormulaType) => readonly FormulaId[];
  readonly getMeta: (key: string) => string | undefined;
  readonly setMeta: (key: string, value: string) => void;
};

export const makeFormulaStore = (database: Database): FormulaStore => {
  const insert = database.prepare(
    'INSERT INTO formulas (id, type, body) VALUES (?, ?, ?)',
  );
  const need = database.prepare(
    'INSERT OR IGNORE INTO dependencies (id, needs) VALUES (?, ?)',
  );
  const select = database.prepare('SELECT body FROM formulas WHERE id = ?');
  const selectType = database.prepare('SELECT type FROM formulas WHERE id = ?');
  const selectDependents = database.prepare(
    'SELECT id FROM dependencies WHERE needs = ?',
  );
  const selectOfType = database.prepare(
    'SELECT id FROM formulas WHERE type = ?',
  );
  const selectMeta = database.prepare('SELECT value FROM meta WHERE key = ?');
  const insertMeta = database.prepare(
    'INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)',
  );

  return harden({
    put: (id, formula) => {
      insert.run(id, formula.type, JSON.stringify(formula));
      for (const needed of dependenciesOf(formula)) need.run(id, needed);
    },
    get: (id) => {
      const row = select.get(id);
      return row === undefined
        ? undefined
        : harden(JSON.parse(textOf(row, 'body')) as Formula);
    },
    typeOf: (id) => {
      const row = selectType.get(id);
      return row === undefined
        ? undefined
        : (textOf(row, 'type') as FormulaType);
    },
    depend: (id, needs) => {
      need.run(id, needs);
    },
    dependents: (id) =>
      harden(selectDependents.all(id).map((row) => textOf(row, 'id'))),
    ofType: (type) =>
      harden(selectOfType.all(type).map((row) => textOf(row, 'id'))),
    getMeta: (key) => {
      const row = selectMeta.get(key);
      return row === undefined ? undefined : optionalTextOf(row, 'value');
    },
    setMeta: (key, value) => {
      insertMeta.run(key, value);
    },
  });
};
harden(makeFormulaStore);
