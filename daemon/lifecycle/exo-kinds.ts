import type { Formula, FormulaId } from '../formula/formula.ts';
import type { HostPowers } from '../exo/agent-powers.ts';
import { defineBlob } from '../exo/blob.ts';
import { defineDirectory } from '../exo/directory.ts';
import { defineGuest } from '../exo/guest.ts';
import { defineHost } from '../exo/host.ts';
import { defineResolver, makeToken } from '../exo/small.ts';

export type MakeExo = (id: FormulaId, formula: Formula) => object;

const HANDLE =
  'The handle of an agent: it stands for the agent as sender and recipient of mail.';
const WORKER =
  'A worker. Name it in evaluate and makeUnconfined to run code in its processes; cancel it to end them.';
const KEYPAIR =
  'A place for the keys of an agent. This daemon has no peers, and the agent no keys.';
const MAIL =
  'The mail hub of an agent. Its mail is read and sent by the methods of the agent itself.';
const NONE = 'No authority at all.';

/** Makes the objects that the daemon itself is. */
export const makeExoKinds = (
  powers: HostPowers,
  endo: () => object,
): MakeExo => {
  const makeDirectory = defineDirectory(powers);
  const makeGuest = defineGuest(powers);
  const makeHost = defineHost(powers);
  const makeBlob = defineBlob(powers.blobs);
  const makeResolver = defineResolver(powers.decisions);

  return (id, formula) => {
    switch (formula.type) {
      case 'endo':
        return endo();
      case 'host':
        return makeHost(id);
      case 'guest':
        return makeGuest(id);
      case 'directory':
        return makeDirectory(id);
      case 'resolver':
        return makeResolver(formula.promise);
      case 'readable-blob':
        return makeBlob(id, formula);
      case 'handle':
        return makeToken(HANDLE);
      case 'worker':
        return makeToken(WORKER);
      case 'keypair':
        return makeToken(KEYPAIR);
      case 'mail-hub':
        return makeToken(MAIL);
      case 'least-authority':
        return makeToken(NONE);
      default:
        throw Error(
          `This version of the daemon cannot make a value of the kind ${formula.type}`,
        );
    }
  };
};
harden(makeExoKinds);
