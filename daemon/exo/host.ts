import { defineExoClass } from '@endo/exo';
import type { CapletOptions, RemakeOptions } from '../agent/caplets.ts';
import type { AgentOptions } from '../agent/provisioning.ts';
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
  grants,
  proposing,
  provisioning,
  caplets,
  storing,
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
  async grantEvaluate(this: OfFormula, number: bigint) {
    return grants.grant(this.state.id, number);
  },
  counterEvaluate(
    this: OfFormula,
    number: bigint,
    source: string,
    codeNames: readonly string[],
    petNames: readonly NameOrPath[],
    workerName?: NameOrPath,
    resultName?: NameOrPath,
  ) {
    const code = { source, codeNames, petNames };
    proposing.counter(this.state.id, number, workerName, code, resultName);
  },
  async provideGuest(
    this: OfFormula,
    handleName?: NameOrPath,
    options: AgentOptions = {},
  ) {
    return provisioning.provideGuest(this.state.id, handleName, options);
  },
  async provideHost(
    this: OfFormula,
    handleName?: NameOrPath,
    options: AgentOptions = {},
  ) {
    return provisioning.provideHost(this.state.id, handleName, options);
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
  async remakeUnconfined(
    this: OfFormula,
    nameOrPath: NameOrPath,
    specifier: string,
    options: RemakeOptions = {},
  ) {
    const { id } = this.state;
    return caplets.remakeUnconfined(id, nameOrPath, specifier, options);
  },
  async storeBlob(this: OfFormula, reader: unknown, nameOrPath?: NameOrPath) {
    return storing.storeBlob(this.state.id, reader, nameOrPath);
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
