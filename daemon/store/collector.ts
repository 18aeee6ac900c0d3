import type { FormulaId } from '../formula/formula.ts';
import type { Database } from './database.ts';
import type { FormulaStore } from './formulas.ts';
import type { MailboxStore } from './mailboxes.ts';
import type { NameStore } from './names.ts';
import { textOf } from './rows.ts';

export type Collector = {
  /** Something stopped naming this value: it is looked at before the commit. */
  readonly suspect: (id: FormulaId) => void;
  /** Keeps a value that has no name until it is let go, or this process ends. */
  readonly hold: (id: FormulaId) => () => void;
  /** Looks at everything once, within a transaction: what had no name may be from before. */
  readonly sweep: () => void;
  readonly onCollected: (listener: (id: FormulaId) => void) => void;
};

export type CollectorPowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly names: NameStore;
  readonly mailboxes: MailboxStore;
  /** The value from which all that is kept can be reached. */
  readonly root: FormulaId;
};

/** Every formula that cannot be reached from the root, found in one go. */
const makeUnreached = (database: Database, root: FormulaId) => {
  const query = database.prepare(`
    WITH RECURSIVE reached(id) AS (
      VALUES (?)
      UNION SELECT d.needs FROM dependencies d JOIN reached USING (id)
      UNION SELECT n.id FROM names n JOIN reached r ON n.directory = r.id
      UNION SELECT v.id FROM mailbox b JOIN reached r ON b.handle = r.id
        JOIN message_values v USING (message_id)
    )
    SELECT id FROM formulas WHERE id NOT IN (SELECT id FROM reached)`);
  return (): readonly FormulaId[] =>
    query.all(root).map((row) => textOf(row, 'id'));
};

/** What a value keeps alive: the other direction of `referrersOf`. */
const makeTargets = (database: Database) => {
  const needs = database.prepare(
    'SELECT needs AS id FROM dependencies WHERE id = ?',
  );
  const named = database.prepare('SELECT id FROM names WHERE directory = ?');
  const mailed = database.prepare(
    'SELECT v.id FROM mailbox b JOIN message_values v USING (message_id) WHERE b.handle = ?',
  );
  return (id: FormulaId): readonly FormulaId[] =>
    [needs, named, mailed].flatMap((query) =>
      query.all(id).map((row) => textOf(row, 'id')),
    );
};

const makeDeletion = (database: Database) => {
  const remove = database.prepare('DELETE FROM formulas WHERE id = ?');
  const emptied = database.prepare(
    'DELETE FROM messages WHERE message_id NOT IN (SELECT message_id FROM mailbox)',
  );
  const hasMailbox = database.prepare(
    'SELECT 1 FROM mailbox WHERE handle = ? LIMIT 1',
  );
  return (ids: ReadonlySet<FormulaId>): void => {
    const mail = [...ids].some((id) => hasMailbox.get(id) !== undefined);
    for (const id of ids) remove.run(id);
    if (mail) emptied.run();
  };
};

/**
 * Deletes what cannot be reached from the root. It walks from a suspect up
 * through what refers to it, so that a ring (a guest and its handle) is found,
 * and a commit costs nothing that has to do with the size of the state.
 */
export const makeCollector = (powers: CollectorPowers): Collector => {
  const { database, formulas, names, mailboxes, root } = powers;
  const held = new Map<FormulaId, number>();
  const listeners: ((id: FormulaId) => void)[] = [];
  const targetsOf = makeTargets(database);
  const deleteAll = makeDeletion(database);
  const unreached = makeUnreached(database, root);
  let suspects = new Set<FormulaId>();

  type ReferrersOf = (id: FormulaId) => readonly FormulaId[];
  const namersOf: ReferrersOf = (id) => [
    ...names.holders(id),
    ...formulas.dependents(id),
  ];
  const referrersOf: ReferrersOf = (id) => [
    ...namersOf(id),
    ...mailboxes.holders(id),
  ];

  /** All that leads to `id`, or undefined as soon as the root is met. */
  const climb = (
    id: FormulaId,
    above: ReferrersOf,
  ): Set<FormulaId> | undefined => {
    const seen = new Set([id]);
    const stack = [id];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      if (next === root || held.has(next)) return undefined;
      for (const referrer of above(next)) {
        if (!seen.has(referrer)) {
          seen.add(referrer);
          stack.push(referrer);
        }
      }
    }
    return seen;
  };

  // A handle has a name nearly always, and may be in ten thousand messages.
  const unreachableAbove = (id: FormulaId): Set<FormulaId> | undefined =>
    climb(id, namersOf) && climb(id, referrersOf);

  const collectOne = (id: FormulaId): void => {
    if (formulas.typeOf(id) === undefined) return;
    const garbage = unreachableAbove(id);
    if (garbage === undefined) return;
    for (const member of garbage) {
      for (const target of targetsOf(member)) {
        if (!garbage.has(target)) suspects.add(target);
      }
    }
    deleteAll(garbage);
    database.afterCommit(() => {
      for (const member of garbage)
        for (const listener of listeners) listener(member);
    });
  };

  database.beforeCommit(() => {
    while (suspects.size > 0) {
      const batch = suspects;
      suspects = new Set();
      for (const id of batch) collectOne(id);
    }
  });

  return harden({
    suspect: (id) => {
      suspects.add(id);
    },
    sweep: () => {
      for (const id of unreached()) suspects.add(id);
    },
    hold: (id) => {
      held.set(id, (held.get(id) ?? 0) + 1);
      return () => {
        const left = (held.get(id) ?? 1) - 1;
        if (left > 0) held.set(id, left);
        else held.delete(id);
        suspects.add(id);
      };
    },
    onCollected: (listener) => {
      listeners.push(listener);
    },
  });
};
harden(makeCollector);
