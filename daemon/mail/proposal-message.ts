import type { FormulaId } from '../formula/formula.ts';
import { isPetName } from '../name/pet-name.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';

/**
 * The type of the one stored message; each of the two readers sees it under a
 * type of his own.
 */
export const PROPOSAL = 'eval-proposal';
harden(PROPOSAL);

/** The body of a stored proposal. */
export type ProposalBody = {
  readonly source: string;
  readonly codeNames: readonly string[];
  /** What the proposer calls the values. */
  readonly petNamePaths: readonly (readonly string[])[];
  /** What the recipient can adopt them by. */
  readonly edgeNames: readonly string[];
  readonly ids: readonly FormulaId[];
  readonly workerName?: string | readonly string[];
  readonly resultName?: readonly string[];
  /** The worker it would run in; a counter-proposal runs in none. */
  readonly worker?: FormulaId;
  /** The promise of the result. */
  readonly resultId: FormulaId;
  readonly resolverId: FormulaId;
};

/** The body of a message that is a proposal. */
export const proposalOf = ({
  type,
  body,
}: NumberedMessage): ProposalBody | undefined =>
  type === PROPOSAL ? (body as ProposalBody) : undefined;
harden(proposalOf);

const LONGEST_STEM = 120;

const stemOf = (path: readonly string[]): string => {
  const stem = (path.at(-1) ?? '').toLowerCase().slice(0, LONGEST_STEM);
  return isPetName(stem) ? stem : 'value';
};

/** A unique pet name for each path, after its last name: `a`, `b`, `a-2`. */
export const edgeNamesFor = (
  paths: readonly (readonly string[])[],
): readonly string[] => {
  const taken = new Set<string>();
  const unique = (stem: string): string => {
    let name = stem;
    for (let count = 2; taken.has(name); count += 1) name = `${stem}-${count}`;
    taken.add(name);
    return name;
  };
  return harden(paths.map((path) => unique(stemOf(path))));
};
harden(edgeNamesFor);
