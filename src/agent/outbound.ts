import type { Mail, PackageMail, Parcel } from '../endo/guest.ts';

/** The turn on whose behalf something is sent. */
export type TurnRef = {
  /** Of the message that the turn answers. */
  readonly messageId: string;
  /** Handle id of whom the turn serves; not always whom it writes to. */
  readonly correspondent: string;
};

/** A message of our own: a turn's, or the agent's itself (`undefined`). */
export type Sent = {
  readonly mail: PackageMail;
  readonly turn: TurnRef | undefined;
};

/**
 * Knows the agent's own mail again. `send` and `reply` return nothing that
 * names the message they made; its copy comes by `followMessages`, in the
 * order of the calls, and is claimed here for the turn that sent it.
 */
export type Outbound = {
  /** Say what is about to be sent. Call the result if the sending failed. */
  readonly expect: (expected: {
    readonly parcel: Pick<Parcel, 'strings' | 'edgeNames'>;
    readonly replyTo: string | undefined;
    readonly turn: TurnRef | undefined;
  }) => () => void;
  /** `undefined` when this incarnation did not send it. */
  readonly claim: (mail: Mail) => Sent | undefined;
};

type Expected = Parameters<Outbound['expect']>[0];

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

const matches = (expected: Expected, mail: PackageMail): boolean =>
  expected.replyTo === mail.replyTo &&
  sameList(expected.parcel.edgeNames, mail.names) &&
  sameList(expected.parcel.strings, mail.strings);

export const makeOutbound = (): Outbound => {
  const awaited: Expected[] = [];

  const forget = (expected: Expected): void => {
    const index = awaited.indexOf(expected);
    if (index !== -1) awaited.splice(index, 1);
  };

  return harden({
    expect: (expected: Expected) => {
      awaited.push(expected);
      return () => forget(expected);
    },
    claim: (mail: Mail) => {
      if (mail.type !== 'package') return undefined;
      const expected = awaited.find((each) => matches(each, mail));
      if (expected === undefined) return undefined;
      forget(expected);
      return { mail, turn: expected.turn };
    },
  });
};
harden(makeOutbound);
