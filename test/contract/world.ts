import { E } from '@endo/far';
import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Following, Guest, Mail, Parcel } from '../../src/endo/guest.ts';

/** What one test of the contract runs in. Far references, as a daemon gives them. */
export type ContractWorld = {
  readonly host: unknown;
  readonly guest: unknown;
  readonly other: unknown;
  /** The host's pet names for the handles of `guest` and `other`. */
  readonly guestName: string;
  readonly otherName: string;
  /** Ends what this test began. */
  readonly stop: () => Promise<void>;
};

/** The guest's name for the handle of `other`. */
export const PEER = 'peer';

type HostPowers = {
  readonly provideGuest: (
    handleName: string,
    settings: {
      readonly agentName: string;
      readonly introducedNames?: { readonly [hostName: string]: string };
    },
  ) => Promise<unknown>;
  readonly remove: (name: string) => Promise<void>;
  readonly dismissAll: () => Promise<void>;
};

/** Two guests of a host that have not been there before. */
export const provideContractWorld = async (
  host: unknown,
  tag: string,
): Promise<ContractWorld> => {
  const powers = host as HostPowers;
  const guestName = `contract-guest-${tag}`;
  const otherName = `contract-other-${tag}`;
  const other = await E(powers).provideGuest(
    otherName,
    harden({ agentName: `${otherName}-agent` }),
  );
  const guest = await E(powers).provideGuest(
    guestName,
    harden({
      agentName: `${guestName}-agent`,
      introducedNames: { [otherName]: PEER },
    }),
  );
  const stop = async (): Promise<void> => {
    await E(powers).dismissAll();
    for (const name of [guestName, otherName]) {
      await E(powers).remove(name);
      await E(powers).remove(`${name}-agent`);
    }
  };
  return { host, guest, other, guestName, otherName, stop };
};

export type OpenWorld = {
  readonly world: ContractWorld;
  readonly host: Guest;
  readonly guest: Guest;
  readonly other: Guest;
};

export const openWorld = (world: ContractWorld): OpenWorld => ({
  world,
  host: makeGenerationAGuest(world.host),
  guest: makeGenerationAGuest(world.guest),
  other: makeGenerationAGuest(world.other),
});

/** A parcel of text alone. */
export const text = (words: string): Parcel =>
  harden({ strings: [words], edgeNames: [], petNames: [] });

/** The next items of a following. */
export const take = async <T>(
  following: Following<T>,
  count: number,
): Promise<T[]> => {
  const items: T[] = [];
  while (items.length < count) {
    const result = await following.next();
    if (result.done === true) throw Error('The following ended too early');
    items.push(result.value);
  }
  return items;
};

/** Goes on until an item is wanted, and hands that one out. */
export const takeUntil = async <T>(
  following: Following<T>,
  isWanted: (item: T) => boolean,
): Promise<T> => {
  for (;;) {
    const [item] = await take(following, 1);
    if (item !== undefined && isWanted(item)) return item;
  }
};

/** What a message says, for comparing whole mailboxes. */
export const wordsOf = (mail: Mail): string => {
  if (mail.type === 'package') return mail.strings.join('|');
  if (mail.type === 'request') return mail.description;
  return mail.type === 'other' ? mail.kind : mail.source;
};

/** The newest message of a mailbox. */
export const lastOf = async (guest: Guest): Promise<Mail> => {
  const mail = (await guest.listMessages()).at(-1);
  if (mail === undefined) throw Error('The mailbox is empty');
  return mail;
};
