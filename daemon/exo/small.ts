import { defineExoClass } from '@endo/exo';
import type { FormulaId } from '../formula/formula.ts';
import type { Decisions } from '../mail/decisions.ts';
import { EndoI, ResolverI, TokenI } from './guards.ts';
import { endoHelp, helpText } from './help.ts';
import { reasonText } from './mail-methods.ts';
import { endoRefusals } from './refusals.ts';

/** An object that is there to be held: a handle, a worker, no powers at all. */
export const makeToken = defineExoClass(
  'Token',
  TokenI,
  (text: string) => ({ text }),
  {
    help() {
      return this.state.text;
    },
  },
);
harden(makeToken);

/** Stands for a value that nobody has looked up since its process ended. */
export const makeDormant = defineExoClass('Dormant', TokenI, () => ({}), {
  help() {
    return 'Stands for a value that is not alive: the code that makes it has to run again, and reading mail runs none. To have it run, look the value up by its name, or a result by lookupById(resultId).';
  },
});
harden(makeDormant);

export const defineResolver = (decisions: Decisions) =>
  defineExoClass('Resolver', ResolverI, (promise: FormulaId) => ({ promise }), {
    resolveWithId(id: FormulaId) {
      decisions.fulfill(this.state.promise, id);
    },
    reject(reason?: unknown) {
      decisions.refuse(this.state.promise, reasonText(reason, 'Declined'));
    },
    help() {
      return 'Answers one request: resolveWithId(id), reject(reason?). Of a proposal of code: reject(reason?).';
    },
  });
harden(defineResolver);

export type EndoPowers = {
  readonly version: string;
  /** Where the program lies. */
  readonly source: string;
  readonly pid: number;
  readonly node: string;
  /** Connections to the socket, the asker's included. */
  readonly clients: () => number;
  readonly terminate: () => void;
  readonly host: () => Promise<unknown>;
  readonly leastAuthority: () => Promise<unknown>;
};

/** The object that a connection to the socket begins with. */
export const makeEndo = (powers: EndoPowers) => {
  const { version, source, pid, node } = powers;
  const make = defineExoClass('Endo', EndoI, () => ({}), {
    ...endoRefusals,
    ping() {
      const clients = powers.clients();
      return harden({ pong: true, version, source, pid, node, clients });
    },
    terminate() {
      powers.terminate();
    },
    async host() {
      return powers.host();
    },
    async leastAuthority() {
      return powers.leastAuthority();
    },
    nodeId() {
      return node;
    },
    help(method?: string) {
      return helpText(
        'A daemon of the Endo protocol, brought by Hob.',
        endoHelp,
        method,
      );
    },
  });
  return make();
};
harden(makeEndo);
