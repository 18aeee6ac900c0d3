import { E } from '@endo/far';
import { isProposal, withStates } from './decisions.ts';
import type { RemoteAgent, RemoteIterator, WireMessage } from './remote.ts';
import { styleOf } from './values.ts';

/** A message with the names that the reader has for its two ends. */
export type NamedMessage = WireMessage & {
  readonly fromNames: readonly string[];
  readonly toNames: readonly string[];
  /** Of a proposal: the reader's own names for each of its values. */
  readonly valueNames?: readonly (readonly string[])[];
};

const isLive = (value: unknown): boolean =>
  ['promise', 'remotable'].includes(styleOf(value));

/**
 * Promises inside a message reject when the connection ends; that is told
 * elsewhere, once.
 */
export const quieten = (message: WireMessage): WireMessage => {
  for (const value of Object.values(message)) {
    if (styleOf(value) === 'promise') {
      (value as Promise<unknown>).catch(() => undefined);
    }
  }
  return message;
};
harden(quieten);

/** The mailbox as it is, oldest first. */
export const listMail = async (
  agent: RemoteAgent,
): Promise<readonly WireMessage[]> =>
  withStates(agent, (await E(agent).listMessages()).map(quieten));
harden(listMail);

export type MailFollower = {
  /** Whether it begins at the beginning of the mailbox. */
  readonly replays: boolean;
  /** The next message, `undefined` when the mailbox is gone. */
  readonly next: () => Promise<WireMessage | undefined>;
  readonly close: () => Promise<void>;
};

const openIterator = async (
  agent: RemoteAgent,
  after: bigint | undefined,
): Promise<{
  readonly iterator: RemoteIterator<WireMessage>;
  readonly replays: boolean;
}> => {
  if (after !== undefined) {
    try {
      const iterator = await E(agent).followMessages(after);
      return { iterator, replays: false };
    } catch (error) {
      // Endo's own daemon takes no argument here; what else is wrong will be
      // wrong again.
      if (!(error instanceof Error)) throw error;
    }
  }
  return { iterator: await E(agent).followMessages(), replays: true };
};

/**
 * Follows the mailbox: what is there, then what comes.
 *
 * @param after - what is known already, for a daemon that can begin after it
 */
export const followMail = async (
  agent: RemoteAgent,
  after?: bigint,
): Promise<MailFollower> => {
  const { iterator, replays } = await openIterator(agent, after);
  return harden({
    replays,
    next: async () => {
      const { value } = await E(iterator).next();
      return value === undefined ? undefined : quieten(value);
    },
    close: async () => {
      await E(iterator).return();
    },
  });
};
harden(followMail);

/** Looks names up once an id. */
export const makeNamer = (
  agent: RemoteAgent,
): ((message: WireMessage) => Promise<NamedMessage>) => {
  const known = new Map<string, Promise<readonly string[]>>();
  const namesOf = (id: string): Promise<readonly string[]> => {
    let names = known.get(id);
    if (names === undefined) {
      names = E(agent).reverseIdentify(id);
      known.set(id, names);
    }
    return names;
  };
  const valueNamesOf = (message: WireMessage) => {
    const ids = isProposal(message) ? message['ids'] : undefined;
    return Array.isArray(ids)
      ? Promise.all(ids.map((id) => namesOf(String(id))))
      : undefined;
  };
  return async (message) => {
    const valueNames = await valueNamesOf(message);
    return {
      ...message,
      fromNames: await namesOf(message.from),
      toNames: await namesOf(message.to),
      ...(valueNames === undefined ? {} : { valueNames }),
    };
  };
};
harden(makeNamer);

/** The data of a message: its promises and far references are for programs. */
export const mailData = (message: NamedMessage): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(message).filter(([, value]) => !isLive(value)),
  );
harden(mailData);
