/**
 * What the practice model makes of a decision. The texts are those of
 * `src/proposal/outcome-text.ts`, first lines first.
 */

/** Code to be proposed, with the proposer's own names for its values. */
export type PracticeCode = {
  readonly source: string;
  readonly codeNames: readonly string[];
  readonly petNames: readonly string[];
};

export type PracticeOutcome =
  | { readonly type: 'told'; readonly text: string }
  /** The code of a counter-proposal, to be proposed as it is. */
  | { readonly type: 'accept'; readonly code: PracticeCode };

const HEADLINE = /^Your (proposal|request) #\d+ was ([^\n]+)(?:\n([\s\S]*))?$/;
const GRANTED = /^granted by .+?\. Result: ([\s\S]+)$/;
const FAILED = /^granted by .+?, but the code failed\. Error: ([\s\S]+)$/;
const REJECTED = /^rejected by .+?\. Reason: ([\s\S]+)$/;
const COUNTERED = /^countered by .+? instead: (".*")$/;
/** Characters of code or words by which the HOST knows what is meant. */
const LONGEST_ASKED = 60;

const BINDING = /^- (".*?"): (?:your (".*?")|.*)/;

const told = (text: string): PracticeOutcome => ({ type: 'told', text });

/** The text within a JSON string; what is none, as it is. */
const unquote = (text: string): string => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
};

/** ` (6 * 7)`: what it was about, since its number is the agent's own. */
const askedIn = (rest: string): string => {
  const [, quoted = '""'] =
    /^You (?:proposed|asked for): (".*")$/m.exec(rest) ?? [];
  const asked = unquote(quoted).replace(/^\/\/ purpose: .*\n/, '');
  const short = asked.replace(/\s+/g, ' ').trim().slice(0, LONGEST_ASKED);
  return short === '' ? '' : ` (${short})`;
};

const acceptCounter = (
  subject: string,
  quotedSource: string,
  rest: string,
): PracticeOutcome => {
  const bindings = rest.split('\n').flatMap((line) => {
    const [, codeName, petName] = BINDING.exec(line) ?? [];
    return codeName === undefined
      ? []
      : [{ codeName: unquote(codeName), petName }];
  });
  const codeNames: string[] = [];
  const petNames: string[] = [];
  for (const { codeName, petName } of bindings) {
    if (petName === undefined) {
      return told(
        `${subject} was answered with other code, but I have no name for the value ${codeName} that it uses.`,
      );
    }
    codeNames.push(codeName);
    petNames.push(unquote(petName));
  }
  const source = unquote(quotedSource);
  return { type: 'accept', code: { source, codeNames, petNames } };
};

/** Undefined: the text tells of no decision. */
export const readOutcome = (text: string): PracticeOutcome | undefined => {
  const [, kind, what = '', rest = ''] = HEADLINE.exec(text) ?? [];
  if (kind === undefined) return undefined;
  const subject = `My ${kind}${askedIn(rest)}`;
  const [, result] = GRANTED.exec(what) ?? [];
  if (result !== undefined) {
    return told(`${subject} was granted. The result is ${result}`);
  }
  const [, error] = FAILED.exec(what) ?? [];
  if (error !== undefined) {
    return told(`${subject} was granted, but failed: ${unquote(error)}`);
  }
  const [, reason] = REJECTED.exec(what) ?? [];
  if (reason !== undefined) {
    return told(`${subject} was rejected: ${unquote(reason)}`);
  }
  const [, source] = COUNTERED.exec(what) ?? [];
  if (source !== undefined) return acceptCounter(subject, source, rest);
  return told(`${subject} was ${what}`);
};
harden(readOutcome);
