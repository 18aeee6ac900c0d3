import type { AdmittedPath } from '../endo/name-gate.ts';
import type { AdmittedParcel } from './turn-powers.ts';

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;

const quoteAll = (names: readonly string[]): string =>
  names.map((name) => JSON.stringify(name)).join(', ');

/**
 * Puts text and values together as a message has them: a text before every
 * value, and perhaps one after the last. Throws what does not fit, and how to
 * put it right.
 */
export const makeParcel = (
  strings: readonly string[],
  edgeNames: readonly string[],
  petNames: readonly AdmittedPath[],
): AdmittedParcel => {
  if (petNames.length !== edgeNames.length) {
    throw Error(
      `Nothing was sent: ${count(edgeNames.length, 'edge name')} and ${count(petNames.length, 'pet name')} do not pair up. petNames[i] is your name for the value, edgeNames[i] what the recipient sees it as.`,
    );
  }
  const twice = edgeNames.filter(
    (name, index) => edgeNames.indexOf(name) !== index,
  );
  if (twice.length > 0) {
    throw Error(
      `Nothing was sent: the edge name ${quoteAll(twice)} is used twice. Each value needs an edge name of its own.`,
    );
  }
  const values = edgeNames.length;
  if (values === 0 && strings.length !== 1) {
    throw Error(
      `Nothing was sent: a message without values has exactly one string, and this has ${strings.length}. Put the whole text into one.`,
    );
  }
  if (strings.length !== values && strings.length !== values + 1) {
    throw Error(
      `Nothing was sent: ${count(values, 'value')} and ${count(strings.length, 'string')} do not interleave. Give ${values} or ${values + 1} strings: strings[0] @${edgeNames[0] ?? 'edge'} strings[1] …; a string may be empty.`,
    );
  }
  return harden({ strings, edgeNames, petNames });
};
harden(makeParcel);
