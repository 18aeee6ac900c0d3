import type { NameOrPath } from '../name/directory-service.ts';
import { assertCodeNames } from '../worker/code-names.ts';

/** Source, and the values it is given: `codeNames[i]` is bound to that of `petNames[i]`. */
export type Code = {
  readonly source: string;
  readonly codeNames: readonly string[];
  readonly petNames: readonly NameOrPath[];
};

/** Throws in words. Whether the source is a program is not judged here. */
export const assertCode = ({ codeNames, petNames }: Code): void => {
  if (codeNames.length !== petNames.length) {
    throw Error(
      `evaluate needs a pet name for every code name: it has ${codeNames.length} code names and ${petNames.length} pet names`,
    );
  }
  assertCodeNames(codeNames);
};
harden(assertCode);
