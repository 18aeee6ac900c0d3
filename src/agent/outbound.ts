import type { AskMail, Mail, PackageMail, Parcel } from '../endo/guest.ts';

/** The turn on whose behalf something is sent. */
export type TurnRef = {
  /** Of the message that the turn answers. */
  readonly messageId: string;
  /** Handle id of whom the turn serves; not always whom it writes to. */
  readonly correspondent: string;
};

/** A message of our own: a turn's, or the agent's itself (`undefined`). */
export type Sent = {
  readonly mail: PackageMail | AskMail;
  readonly turn: TurnRef | undefined;
};

export type ExpectedAsk = {
  readonly matches: (mail: AskMail) => boolean;
  readonly turn: TurnRef;
  readonly seen: (mail: AskMail) => void;
};

type ExpectedPackage = {
  readonly parcel: Pick<Parcel, 'strings' | 'edgeNames'>;
  readonly replyTo: string | undefined;
  readonly turn: TurnRef | undefined;
};

/**
 * Knows the agent's own mail again. `send` and `reply` return nothing that
 * names the message they made; its copy comes by `followMessages`, in the
 * order of the calls, and is claimed here for the turn that sent it.
 */
export type Outbound = {
  /** Say what is about to be sent. Call the result if the sending failed. */
  readonly expect: (expected: ExpectedPackage) => () => void;
  /**
   * The same for a proposal or a request. `seen` is called with its copy, once,
   * before anything later in the mailbox is looked at.
   */
  readonly expectAsked: (expected: ExpectedAsk) => () => void;
  /** `undefined` when this incarnation did not send it. */
  readonly claim: (mail: Mail) => Sent | undefined;
};

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

const isCopy = (expected: ExpectedPackage, mail: PackageMail): boolean =>
  expected.replyTo === mail.replyTo &&
  sameList(expected.parcel.edgeNames, mail.names) &&
  sameList(expected.parcel.strings, mail.strings);

/** Takes out the first of a list that fits. */
const takeFirst = <T>(list: T[], fits: (item: T) => boolean): T | undefined => {
  const index = list.findIndex(fits);
  return index === -1 ? undefined : list.splice(index, 1)[0];
};

export const makeOutbound = (): Outbound => {
  const packages: ExpectedPackage[] = [];
  const asks: ExpectedAsk[] = [];

  return harden({
    expect: (expected: ExpectedPackage) => {
      packages.push(expected);
      return () => void takeFirst(packages, (each) => each === expected);
    },
    expectAsked: (expected: ExpectedAsk) => {
      asks.push(expected);
      return () => void takeFirst(asks, (each) => each === expected);
    },
    claim: (mail: Mail) => {
      if (mail.type === 'package') {
        const sent = takeFirst(packages, (each) => isCopy(each, mail));
        return sent === undefined ? undefined : { mail, turn: sent.turn };
      }
      if (mail.type !== 'proposal' && mail.type !== 'request') return undefined;
      const asked = takeFirst(asks, ({ matches }) => matches(mail));
      asked?.seen(mail);
      return asked === undefined ? undefined : { mail, turn: asked.turn };
    },
  });
};
harden(makeOutbound);
