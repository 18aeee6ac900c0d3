const IDENTIFIER = /^[A-Za-z_$][\w$]*$/u;

/** Identifiers by their letters that code can still not use for a value. */
const RESERVED: ReadonlySet<string> = new Set(
  'await arguments break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield __proto__'.split(
    ' ',
  ),
);

/** Throws unless each name can be given to a value in evaluated code, once. */
export const assertCodeNames = (names: readonly string[]): void => {
  const seen = new Set<string>();
  for (const name of names) {
    const shown = JSON.stringify(name);
    if (!IDENTIFIER.test(name) || RESERVED.has(name)) {
      throw Error(
        `The code name ${shown} is not an identifier that code can use: use letters, digits, "_" and "$", and no word of the language`,
      );
    }
    if (seen.has(name)) throw Error(`The code name ${shown} is there twice`);
    seen.add(name);
  }
};
harden(assertCodeNames);
