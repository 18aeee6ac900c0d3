import { defineExoClass } from '@endo/exo';
import type { CapletOptions } from '../agent/caplets.ts';
import type { GuestOptions } from '../agent/provisioning.ts';
import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { HostPowers, OfFormula } from './agent-powers.ts';
import { makeDirectoryMethods } from './directory.ts';
import { HostI } from './guards.ts';
import { helpText, hostHelp } from './help.ts';
import { makeMailMethods, reasonText } from './mail-methods.ts';
import { hostRefusals } from './refusals.ts';

const makeHostMethods = ({
  evaluation,
  provisioning,
  caplets,
}: HostPowers) => ({
  async evaluate(
    this: OfFormula,
    workerName: NameOrPath | undefined,
    source: string,
    codeNames: readonly string[],
    petNames: readonly NameOrPath[],
    resultName?: NameOrPath,
  ) {
    const code = { source, codeNames, petNames };
    return evaluation.evaluate(this.state.id, workerName, code, resultName);
  },
  async provideGuest(
    this: OfFormula,
    handleName?: NameOrPath,
    options: GuestOptions = {},
  ) {
    return provisioning.provideGuest(this.state.id, handleName, options);
  },
  async provideWorker(this: OfFormula, name: NameOrPath) {
    return provisioning.provideWorker(this.state.id, name);
  },
  async makeUnconfined(
    this: OfFormula,
    workerName: NameOrPath | undefined,
    specifier: string,
    options: CapletOptions = {},
  ) {
    return caplets.makeUnconfined(
      this.state.id,
      workerName,
      specifier,
      options,
    );
  },
  async cancel(this: OfFormula, nameOrPath: NameOrPath, reason?: unknown) {
    const cause = Error(reasonText(reason, 'cancelled'));
    await caplets.cancel(this.state.id, nameOrPath, cause);
  },
});

export const defineHost = (powers: HostPowers) =>
  defineExoClass('EndoHost', HostI, (id: FormulaId) => ({ id }), {
    ...makeDirectoryMethods(powers),
    ...makeMailMethods(powers),
    ...hostRefusals,
    ...makeHostMethods(powers),
    help(method?: string) {
      return helpText(
        'The host: names, mail, guests, code and caplets.',
        hostHelp,
        method,
      );
    },
  });
harden(defineHost);
