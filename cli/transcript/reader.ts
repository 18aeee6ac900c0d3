import { E } from '@endo/far';
import { minuteOf, partyText } from '../mail-text.ts';
import type { RemoteAgent, WireMessage } from '../remote.ts';
import { visibleLine } from '../visible.ts';
import type { Turn } from './archive.ts';

/** What the one who reads knows of turns: numbers and dates of the own mailbox. */
export type Reader = {
  /** `#12`, by the reader's mailbox; a few letters of the id where it is gone. */
  readonly label: (messageId: string) => string;
  readonly numberOf: (messageId: string) => bigint | undefined;
  /** To the minute; '' when the message is gone. */
  readonly dateOf: (messageId: string) => string;
  /** Numbers of messages that answer it. */
  readonly answersTo: (messageId: string) => readonly bigint[];
  /** Whom a turn is with: `you`, `HOST`, a quoted name. */
  readonly party: (turn: Pick<Turn, 'correspondent'>) => string;
};

/** Letters of a message id that stand for it. */
const SHORT = 8;

export const makeReader = async (
  agent: RemoteAgent,
  mail: readonly WireMessage[],
  turns: readonly Turn[],
): Promise<Reader> => {
  const byId = new Map(mail.map((message) => [message.messageId, message]));
  const answers = new Map<string, bigint[]>();
  for (const { replyTo, number } of mail) {
    if (replyTo === undefined) continue;
    const known = answers.get(replyTo);
    if (known === undefined) answers.set(replyTo, [number]);
    else known.push(number);
  }
  const parties = new Map<string, string>();
  for (const id of new Set(turns.map(({ correspondent }) => correspondent))) {
    // What is no id of this daemon's is unknown, whatever it says.
    const names = await E(agent)
      .reverseIdentify(id)
      .catch(() => []);
    parties.set(id, id === '' ? 'nobody known' : partyText(id, names));
  }
  const numberOf = (messageId: string): bigint | undefined =>
    byId.get(messageId)?.number;
  return harden({
    numberOf,
    label: (messageId: string) => {
      const number = numberOf(messageId);
      return number === undefined
        ? visibleLine(messageId.slice(0, SHORT))
        : `#${number}`;
    },
    dateOf: (messageId: string) => minuteOf(byId.get(messageId)?.date),
    answersTo: (messageId: string) => answers.get(messageId) ?? [],
    party: ({ correspondent }) => parties.get(correspondent) ?? '',
  });
};
harden(makeReader);
