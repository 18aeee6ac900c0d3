import { defineExoClass } from '@endo/exo';
import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { GuestPowers, OfFormula } from './agent-powers.ts';
import { makeDirectoryMethods } from './directory.ts';
import { GuestI } from './guards.ts';
import { guestHelp, helpText } from './help.ts';
import { makeMailMethods } from './mail-methods.ts';
import { proposalRefusals } from './refusals.ts';

export const defineGuest = (powers: GuestPowers) =>
  defineExoClass('Guest', GuestI, (id: FormulaId) => ({ id }), {
    ...makeDirectoryMethods(powers),
    ...makeMailMethods(powers),
    ...proposalRefusals,
    async evaluate(
      this: OfFormula,
      workerName: NameOrPath | undefined,
      source: string,
      codeNames: readonly string[],
      petNames: readonly NameOrPath[],
      resultName?: NameOrPath,
    ) {
      const code = { source, codeNames, petNames };
      return powers.proposing.propose(
        this.state.id,
        workerName,
        code,
        resultName,
      );
    },
    help(method?: string) {
      return helpText('A guest: names and mail of its own.', guestHelp, method);
    },
  });
harden(defineGuest);
