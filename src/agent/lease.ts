import type { Following, Guest, NameChange } from '../endo/guest.ts';

const LEASE: readonly string[] = harden(['hob-lease']);

/**
 * One loop a guest. Who starts writes its name here; who finds another's name
 * stops before it sends anything more.
 */
export type Lease = {
  /** Write our name, and watch for another's from then on. */
  readonly take: () => Promise<void>;
  /** Rejects when another incarnation has taken over. */
  readonly assertHeld: () => Promise<void>;
  readonly close: () => void;
};

const holderOf = (lease: unknown): unknown =>
  typeof lease === 'object' && lease !== null && 'incarnation' in lease
    ? lease.incarnation
    : undefined;

export const makeLease = ({
  guest,
  incarnation,
  onLost,
  onNameChange,
}: {
  readonly guest: Guest;
  readonly incarnation: string;
  readonly onLost: (reason: Error) => void;
  /** Of any other name: one following of the guest's names serves for all. */
  readonly onNameChange?: (change: NameChange) => void;
}): Lease => {
  let changes: Following<NameChange> | undefined;
  let closed = false;
  const isClosed = (): boolean => closed;

  const assertHeld = async (): Promise<void> => {
    const holder = holderOf(await guest.lookup(LEASE));
    if (holder === incarnation) return;
    throw Error('Another incarnation of this agent has taken over its guest');
  };

  const watch = async (following: Following<NameChange>): Promise<void> => {
    for (;;) {
      // A change that cannot be read is not one of ours.
      const change = await following.next().catch(() => undefined);
      if (change?.done === true) return;
      if (change?.value.name === LEASE[0]) await assertHeld();
      else if (change !== undefined) onNameChange?.(change.value);
    }
  };

  return harden({
    take: async () => {
      if (isClosed()) return;
      await guest.storeValue(harden({ incarnation }), LEASE);
      // It may have been closed meanwhile.
      if (isClosed()) return;
      changes = guest.followNameChanges();
      watch(changes).catch(onLost);
    },
    assertHeld,
    close: () => {
      closed = true;
      changes?.close().catch(() => {
        // The daemon is gone, and the stream with it.
      });
    },
  });
};
harden(makeLease);
