import type { FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Incarnator } from '../lifecycle/incarnator.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';

/** What it takes to formulate code that a worker runs, caplet or evaluation. */
export type CodePowers = {
  readonly database: Database;
  readonly formulas: FormulaStore;
  readonly collector: Collector;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly incarnator: Incarnator;
  readonly workerId: (
    agent: FormulaId,
    name: NameOrPath | undefined,
  ) => FormulaId;
};
