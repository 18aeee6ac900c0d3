import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { assertName, pathFrom } from '../name/pet-name.ts';

/** Text with values: `strings[0] @edgeNames[0] strings[1] …`. */
export type Parcel = {
  readonly strings: readonly string[];
  readonly edgeNames: readonly string[];
  readonly petNames: readonly NameOrPath[];
};

/** Words that stand for parts of a message itself. Source: endo-daemons, "Messages". */
const RESERVED = harden([
  'FROM',
  'TO',
  'DATE',
  'TYPE',
  'MESSAGE',
  'REPLY',
  'DESCRIPTION',
  'STRINGS',
  'PROMISE',
  'RESOLVER',
]);

/** Characters of all strings: what was sent must fit a frame when it is read. */
const MAX_TEXT = 1_000_000;

const assertLengths = ({ strings, edgeNames, petNames }: Parcel): void => {
  const length = strings.reduce((sum, text) => sum + text.length, 0);
  if (length > MAX_TEXT) {
    throw Error(
      `A message has at most ${MAX_TEXT} characters of text, and this one has ${length}`,
    );
  }
  if (edgeNames.length !== petNames.length) {
    throw Error(
      `A message needs a pet name for every edge name: it has ${edgeNames.length} edge names and ${petNames.length} pet names`,
    );
  }
  if (
    strings.length < edgeNames.length ||
    strings.length > edgeNames.length + 1
  ) {
    throw Error(
      `A message has a string before every value, and at most one after the last: ${edgeNames.length} values need ${edgeNames.length} or ${edgeNames.length + 1} strings, not ${strings.length}`,
    );
  }
};

const assertEdgeNames = (edgeNames: readonly string[]): void => {
  const seen = new Set<string>();
  for (const name of edgeNames) {
    if (RESERVED.includes(name)) {
      throw Error(
        `The edge name ${JSON.stringify(name)} is reserved; the reserved ones are ${RESERVED.join(', ')}`,
      );
    }
    assertName(name);
    if (seen.has(name))
      throw Error(`The edge name ${JSON.stringify(name)} is there twice`);
    seen.add(name);
  }
};

/** Checks a parcel and finds its values. Throws, naming the offender. */
export const identifyParcel = (
  hubs: NameHubs,
  agent: FormulaId,
  parcel: Parcel,
): readonly FormulaId[] => {
  assertLengths(parcel);
  assertEdgeNames(parcel.edgeNames);
  return harden(
    parcel.petNames.map((name) => hubs.require(agent, pathFrom(name))),
  );
};
harden(identifyParcel);
