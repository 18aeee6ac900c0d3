import type { FormulaId } from '../formula/formula.ts';
import { makeIds, type Ids } from '../formula/ids.ts';
import type { Database } from '../store/database.ts';
import type { FormulaStore } from '../store/formulas.ts';

export type Foundation = {
  readonly ids: Ids;
  readonly endo: FormulaId;
  readonly host: FormulaId;
};

/** Writes the parts that hosts and guests have in common; the agent is the caller's. */
export const formulateAgentParts = (
  formulas: FormulaStore,
  ids: Ids,
  label: string,
) => {
  const agent = ids.makeFormulaId();
  const parts = harden({
    handle: ids.makeFormulaId(),
    directory: ids.makeFormulaId(),
    worker: ids.makeFormulaId(),
    keypair: ids.makeFormulaId(),
    mail: ids.makeFormulaId(),
  });
  formulas.put(parts.handle, harden({ type: 'handle', agent }));
  formulas.put(parts.directory, harden({ type: 'directory' }));
  formulas.put(parts.worker, harden({ type: 'worker', label }));
  formulas.put(parts.keypair, harden({ type: 'keypair' }));
  formulas.put(parts.mail, harden({ type: 'mail-hub' }));
  return harden({ agent, parts });
};
harden(formulateAgentParts);

const layFoundation = (formulas: FormulaStore, ids: Ids): void => {
  const endo = ids.makeFormulaId();
  const [none, pins, nets] = [
    ids.makeFormulaId(),
    ids.makeFormulaId(),
    ids.makeFormulaId(),
  ];
  const { agent: host, parts } = formulateAgentParts(formulas, ids, 'main');
  formulas.put(none, harden({ type: 'least-authority' }));
  formulas.put(pins, harden({ type: 'directory' }));
  formulas.put(nets, harden({ type: 'directory' }));
  formulas.put(endo, harden({ type: 'endo', host }));
  formulas.put(
    host,
    harden({ type: 'host', ...parts, endo, none, pins, nets }),
  );
  formulas.setMeta('node', ids.node);
  formulas.setMeta('endo', endo);
  formulas.setMeta('host', host);
};

/** Finds the host and the bootstrap in the state, or makes them in an empty one. */
export const provideFoundation = (
  database: Database,
  formulas: FormulaStore,
  randomHex: (bytes: number) => string,
): Foundation => {
  const node = formulas.getMeta('node') ?? randomHex(32);
  const ids = makeIds({ node, randomHex });
  if (formulas.getMeta('endo') === undefined) {
    database.transact(() => layFoundation(formulas, ids));
  }
  const endo = formulas.getMeta('endo');
  const host = formulas.getMeta('host');
  if (endo === undefined || host === undefined) {
    throw Error('The state is damaged: it has no host');
  }
  return harden({ ids, endo, host });
};
harden(provideFoundation);
