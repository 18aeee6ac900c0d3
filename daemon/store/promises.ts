import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';
import { optionalTextOf, textOf } from './rows.ts';

export type Outcome =
  | { readonly status: 'pending' }
  | { readonly status: 'fulfilled'; readonly value: FormulaId }
  | { readonly status: 'rejected'; readonly reason: string };

/** Where the one who asked wants the answer named. */
export type ResponseTarget = {
  readonly asker: FormulaId;
  readonly path: readonly string[];
};

/** Promises whose answer may come after a restart. */
export type PromiseStore = {
  readonly put: (id: FormulaId, target?: ResponseTarget) => void;
  readonly outcome: (id: FormulaId) => Outcome | undefined;
  readonly target: (id: FormulaId) => ResponseTarget | undefined;
  readonly fulfill: (id: FormulaId, value: FormulaId) => void;
  readonly reject: (id: FormulaId, reason: string) => void;
};

export const makePromiseStore = (database: Database): PromiseStore => {
  const insert = database.prepare(
    "INSERT INTO promises (id, status, asker, response_path) VALUES (?, 'pending', ?, ?)",
  );
  const select = database.prepare('SELECT * FROM promises WHERE id = ?');
  const fulfill = database.prepare(
    "UPDATE promises SET status = 'fulfilled', value = ? WHERE id = ? AND status = 'pending'",
  );
  const reject = database.prepare(
    "UPDATE promises SET status = 'rejected', reason = ? WHERE id = ? AND status = 'pending'",
  );

  return harden({
    put: (id, target) => {
      const path = target === undefined ? null : JSON.stringify(target.path);
      insert.run(id, target?.asker ?? null, path);
    },
    outcome: (id) => {
      const row = select.get(id);
      if (row === undefined) return undefined;
      switch (textOf(row, 'status')) {
        case 'fulfilled':
          return harden({ status: 'fulfilled', value: textOf(row, 'value') });
        case 'rejected':
          return harden({ status: 'rejected', reason: textOf(row, 'reason') });
        default:
          return harden({ status: 'pending' });
      }
    },
    target: (id) => {
      const row = select.get(id);
      if (row === undefined) return undefined;
      const asker = optionalTextOf(row, 'asker');
      const path = optionalTextOf(row, 'response_path');
      return asker === undefined || path === undefined
        ? undefined
        : harden({ asker, path: JSON.parse(path) as string[] });
    },
    fulfill: (id, value) => {
      fulfill.run(value, id);
    },
    reject: (id, reason) => {
      reject.run(reason, id);
    },
  });
};
harden(makePromiseStore);
