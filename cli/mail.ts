import { E } from '@endo/far';
import type { RemoteAgent, RemoteIterator, WireMessage } from './remote.ts';
import { styleOf } from './values.ts';

/** A message with the names that the reader has for its two ends. */
export type NamedMessage = WireMessage & {
  readonly fromNames: readonly string[];
  readonly toNames: readonly string[];
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
  (await E(agent).listMessages()).map(quieten);
harden(listMail);

export type MailFollower = {
  /** The next message, `undefined` when the mailbox is gone. */
  readonly next: () => Promise<WireMessage | undefined>;
  readonly close: () => Promise<void>;
};

/** Follows the mailbox: what is there, then what comes. */
export const followMail = async (agent: RemoteAgent): Promise<MailFollower> => {
  const iterator: RemoteIterator<WireMessage> = await E(agent).followMessages();
  return harden({
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
  return async (message) => ({
    ...message,
    fromNames: await namesOf(message.from),
    toNames: await namesOf(message.to),
  });
};
harden(makeNamer);

/** The data of a message: its promises and far references are for programs. */
export const mailData = (message: NamedMessage): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(message).filter(([, value]) => !isLive(value)),
  );
harden(mailData);

/** Whether a message is something that its recipient has to decide. */
export const isDecision = (message: WireMessage): boolean =>
  message.type === 'request' ||
  message.type === 'eval-proposal-reviewer' ||
  message.type === 'eval-request' ||
  message.type === 'definition' ||
  message.type === 'form-request' ||
  message.type === 'form';
harden(isDecision);
