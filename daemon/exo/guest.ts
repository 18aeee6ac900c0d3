import { defineExoClass } from '@endo/exo';
import type { FormulaId } from '../formula/formula.ts';
import type { GuestPowers } from './agent-powers.ts';
import { makeDirectoryMethods } from './directory.ts';
import { GuestI } from './guards.ts';
import { guestHelp, helpText } from './help.ts';
import { makeMailMethods } from './mail-methods.ts';
import { proposalRefusals, proposeRefusal } from './refusals.ts';

export const defineGuest = (powers: GuestPowers) =>
  defineExoClass('Guest', GuestI, (id: FormulaId) => ({ id }), {
    ...makeDirectoryMethods(powers),
    ...makeMailMethods(powers),
    ...proposalRefusals,
    evaluate: proposeRefusal,
    help(method?: string) {
      return helpText('A guest: names and mail of its own.', guestHelp, method);
    },
  });
harden(defineGuest);
