import type { AgentFormula, FormulaId } from '../formula/formula.ts';

export type SpecialNames = Readonly<Record<string, FormulaId>>;

/** Names of generation A that have no value on this daemon, and why. */
const ABSENT: Readonly<Record<string, string>> = harden({
  APPS: 'this daemon serves no web applications',
  INFO: 'this daemon has no inspector of formulas',
});

/** What an agent always has, whatever it names. Source: endo-daemons, "special names". */
export const specialNamesOf = (
  id: FormulaId,
  agent: AgentFormula,
): SpecialNames => {
  const { handle, keypair, mail } = agent;
  if (agent.type === 'guest') {
    return harden({
      AGENT: id,
      HOST: agent.hostHandle,
      KEYPAIR: keypair,
      MAIL: mail,
      SELF: handle,
    });
  }
  const { worker, endo, none, pins, nets, hostHandle = handle } = agent;
  return harden({
    AGENT: id,
    ENDO: endo,
    HOST: hostHandle,
    KEYPAIR: keypair,
    MAIL: mail,
    MAIN: worker,
    NETS: nets,
    NONE: none,
    PINS: pins,
    SELF: handle,
  });
};
harden(specialNamesOf);

/** Why a special name of generation A names nothing here. */
export const absenceOf = (name: string): string | undefined =>
  Object.hasOwn(ABSENT, name) ? ABSENT[name] : undefined;
harden(absenceOf);
