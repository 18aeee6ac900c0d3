import type { Guest, Mail, NamePath, Parcel } from '../endo/guest.ts';
import type { Lease } from './lease.ts';
import type { Outbound, TurnRef } from './outbound.ts';

/**
 * The agent's outgoing mail, all of it: each message is announced to
 * `Outbound`, so that its copy is known again, and none leaves once another
 * incarnation holds the lease.
 */
export type Post = {
  readonly send: (
    to: NamePath,
    parcel: Parcel,
    turn: TurnRef | undefined,
  ) => Promise<void>;
  readonly reply: (
    mail: Pick<Mail, 'number' | 'messageId'>,
    parcel: Parcel,
    turn: TurnRef | undefined,
  ) => Promise<void>;
};

/** A parcel of text alone. */
export const textParcel = (text: string): Parcel =>
  harden({ strings: [text], edgeNames: [], petNames: [] });
harden(textParcel);

export const makePost = ({
  guest,
  lease,
  outbound,
  isStopped,
}: {
  readonly guest: Guest;
  readonly lease: Lease;
  readonly outbound: Outbound;
  readonly isStopped: () => boolean;
}): Post => {
  const leave = async (
    expected: Parameters<Outbound['expect']>[0],
    call: () => Promise<void>,
  ): Promise<void> => {
    await lease.assertHeld();
    if (isStopped()) throw Error('The agent has stopped');
    const forget = outbound.expect(expected);
    try {
      await call();
    } catch (error) {
      forget();
      throw error;
    }
  };

  return harden({
    send: (to: NamePath, parcel: Parcel, turn: TurnRef | undefined) =>
      leave({ parcel, replyTo: undefined, turn }, () => guest.send(to, parcel)),
    reply: (
      { number, messageId }: Pick<Mail, 'number' | 'messageId'>,
      parcel: Parcel,
      turn: TurnRef | undefined,
    ) =>
      leave({ parcel, replyTo: messageId, turn }, () =>
        guest.reply(number, parcel),
      ),
  });
};
harden(makePost);
