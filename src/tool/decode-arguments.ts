import type { Parameter } from './parameter-kinds.ts';
import { boundText, render } from './render.ts';

type Parameters = { readonly [name: string]: Parameter<unknown> };
type PlainArguments = { readonly [name: string]: unknown };

const SHOWN_BYTES = 160;

const showGiven = (value: unknown): string => {
  const shown =
    typeof value === 'string' ? JSON.stringify(value) : render(value);
  return shown.length > SHOWN_BYTES
    ? `${boundText(shown.slice(0, SHOWN_BYTES))}…`
    : shown;
};

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  (Array.isArray(value) && value.length === 0);

/** Left out: not there, or so empty that it says nothing. */
const isAbsent = (value: unknown, parameter: Parameter<unknown>): boolean =>
  value === undefined ||
  (!parameter.needed && value === null) ||
  (parameter.emptyIsAbsent && isEmpty(value));

/** Gives each argument its proper name; complains of what belongs nowhere. */
const nameArguments = (
  parameters: Parameters,
  given: PlainArguments,
  complaints: string[],
): ReadonlyMap<string, unknown> => {
  const named = new Map<string, unknown>();
  for (const [spelling, value] of Object.entries(given)) {
    const name = Object.hasOwn(parameters, spelling)
      ? spelling
      : Object.keys(parameters).find((each) =>
          parameters[each]?.aliases.includes(spelling),
        );
    if (name === undefined) {
      const known = Object.keys(parameters).join(', ') || 'none';
      complaints.push(
        `there is no parameter ${JSON.stringify(spelling)} (known: ${known})`,
      );
    } else if (named.has(name)) {
      complaints.push(`"${name}" is given twice, once as "${spelling}"`);
    } else {
      named.set(name, value);
    }
  }
  return named;
};

/**
 * Decodes the arguments of a call as its parameters direct. Throws one `Error`
 * that names every parameter that is wrong, what was given and what is wanted.
 */
export const decodeArguments = (
  tool: string,
  parameters: Parameters,
  given: PlainArguments,
): PlainArguments => {
  const complaints: string[] = [];
  const named = nameArguments(parameters, given, complaints);
  const decoded: { [name: string]: unknown } = {};
  for (const [name, parameter] of Object.entries(parameters)) {
    const value = named.get(name);
    if (isAbsent(value, parameter)) {
      if (parameter.needed) {
        complaints.push(`"${name}" is missing; it takes ${parameter.wanted}`);
      }
      continue;
    }
    const decoding = parameter.decode(value);
    if (decoding.ok) {
      decoded[name] = decoding.value;
    } else {
      complaints.push(
        `"${name}" takes ${parameter.wanted}, and was given ${showGiven(value)}`,
      );
    }
  }
  if (complaints.length > 0) {
    throw Error(`${tool} did not run: ${complaints.join('; ')}.`);
  }
  return harden(decoded);
};
harden(decodeArguments);
