import type { NameOrPath } from '../name/directory-service.ts';
import type { GuestPowers, OfFormula } from './agent-powers.ts';
import { makeFarIterator } from './iterators.ts';

/** Of the one transaction by which a message gets into both mailboxes. */
const GUARANTEES = harden({ mail: 'exactly-once', grants: 'at-most-once' });

type Strings = readonly string[];
type Names = readonly NameOrPath[];

/** `reason` as the text that is stored and shown. */
export const reasonText = (reason: unknown, otherwise: string): string => {
  if (typeof reason === 'string') return reason;
  return reason instanceof Error ? reason.message : otherwise;
};
harden(reasonText);

/** The methods that guests and hosts share. Guards: `mailGuards`. */
export const makeMailMethods = ({
  directory,
  mail,
  requests,
  decisions,
  office,
  incarnator,
}: GuestPowers) => ({
  guarantees() {
    return GUARANTEES;
  },
  handle(this: OfFormula) {
    return incarnator.provideNow(office.handleOf(this.state.id));
  },
  listMessages(this: OfFormula) {
    return mail.listMessages(this.state.id);
  },
  followMessages(this: OfFormula, after?: bigint) {
    return makeFarIterator(mail.follow(this.state.id, after));
  },
  send(
    this: OfFormula,
    to: NameOrPath,
    strings: Strings,
    edgeNames: Strings,
    petNames: Names,
  ) {
    mail.send(this.state.id, to, { strings, edgeNames, petNames });
  },
  reply(
    this: OfFormula,
    number: bigint,
    strings: Strings,
    edgeNames: Strings,
    petNames: Names,
  ) {
    mail.reply(this.state.id, number, { strings, edgeNames, petNames });
  },
  async request(
    this: OfFormula,
    to: NameOrPath,
    description: string,
    responseName?: NameOrPath,
  ) {
    return requests.request(this.state.id, to, description, responseName);
  },
  resolve(this: OfFormula, number: bigint, nameOrPath: NameOrPath) {
    decisions.resolve(this.state.id, number, nameOrPath);
  },
  reject(this: OfFormula, number: bigint, reason?: unknown) {
    decisions.reject(this.state.id, number, reasonText(reason, 'Declined'));
  },
  adopt(this: OfFormula, number: bigint, edgeName: string, to: NameOrPath) {
    mail.adopt(this.state.id, number, edgeName, to);
  },
  dismiss(this: OfFormula, number: bigint) {
    office.dismiss(this.state.id, number);
  },
  dismissAll(this: OfFormula) {
    office.dismissAll(this.state.id);
  },
  async deliver() {
    return Promise.reject(
      Error(
        'deliver is refused: a message is delivered by send, reply or request, which say who it is from',
      ),
    );
  },
  storeValue(this: OfFormula, value: unknown, nameOrPath: NameOrPath) {
    directory.storeValue(this.state.id, value, nameOrPath);
  },
});
harden(makeMailMethods);
