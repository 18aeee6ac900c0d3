/** `<64 hex>:<64 hex of the node>`. Unguessable: to hold one is to hold the value. */
export type FormulaId = string;

export type AgentParts = {
  /** What others see of the agent: the `from` and `to` of messages. */
  readonly handle: FormulaId;
  /** Holds its pet names. */
  readonly directory: FormulaId;
  readonly worker: FormulaId;
  readonly keypair: FormulaId;
  readonly mail: FormulaId;
};

export type HostFormula = AgentParts & {
  readonly type: 'host';
  readonly endo: FormulaId;
  readonly none: FormulaId;
  readonly pins: FormulaId;
  readonly nets: FormulaId;
  /** Of the host that made it. The first host has none, and is its own HOST. */
  readonly hostHandle?: FormulaId;
};

export type GuestFormula = AgentParts & {
  readonly type: 'guest';
  readonly hostHandle: FormulaId;
};

export type EvalFormula = {
  readonly type: 'eval';
  readonly worker: FormulaId;
  readonly source: string;
  readonly names: readonly string[];
  readonly values: readonly FormulaId[];
};

export type UnconfinedFormula = {
  readonly type: 'make-unconfined';
  readonly worker: FormulaId;
  readonly specifier: string;
  readonly powers: FormulaId;
  readonly env: Readonly<Record<string, string>>;
};

/** A passable: the body is SmallCaps, each slot the id of a remotable in it. */
export type MarshalFormula = {
  readonly type: 'marshal';
  readonly body: string;
  readonly slots: readonly FormulaId[];
};

/** Its bytes lie in a table of their own. */
export type BlobFormula = {
  readonly type: 'readable-blob';
  /** 128 hex digits. */
  readonly sha512: string;
  /** Bytes. */
  readonly size: number;
};

export type AgentFormula = HostFormula | GuestFormula;

/** Written once, never changed. What can change (names, outcomes) lies in tables. */
export type Formula =
  | { readonly type: 'endo'; readonly host: FormulaId }
  | AgentFormula
  | EvalFormula
  | UnconfinedFormula
  | MarshalFormula
  | { readonly type: 'handle'; readonly agent: FormulaId }
  | { readonly type: 'resolver'; readonly promise: FormulaId }
  | { readonly type: 'worker'; readonly label: string }
  | { readonly type: 'directory' }
  | { readonly type: 'least-authority' }
  | { readonly type: 'keypair' }
  | { readonly type: 'mail-hub' }
  | { readonly type: 'promise' }
  | BlobFormula;

export type FormulaType = Formula['type'];

const agentDependencies = (formula: AgentFormula): readonly FormulaId[] => {
  const { handle, directory, worker, keypair, mail } = formula;
  const parts = [handle, directory, worker, keypair, mail];
  if (formula.type === 'guest') return [...parts, formula.hostHandle];
  const { endo, none, pins, nets, hostHandle } = formula;
  const made = hostHandle === undefined ? [] : [hostHandle];
  return [...parts, endo, none, pins, nets, ...made];
};

/** The values that a formula keeps from being collected. */
export const dependenciesOf = (formula: Formula): readonly FormulaId[] => {
  switch (formula.type) {
    case 'endo':
      return [formula.host];
    case 'host':
    case 'guest':
      return agentDependencies(formula);
    case 'handle':
      return [formula.agent];
    case 'resolver':
      return [formula.promise];
    case 'marshal':
      return formula.slots;
    case 'eval':
      return [formula.worker, ...formula.values];
    case 'make-unconfined':
      return [formula.worker, formula.powers];
    default:
      return [];
  }
};
harden(dependenciesOf);
