import { CliError } from '../cli-error.ts';
import type { WireMessage } from '../remote.ts';
import { visibleLine } from '../visible.ts';
import { type Archive, isPointer } from './archive.ts';

/** The beginning of a message id, as the lists show it for mail that is gone. */
const ID_START = /^[0-9a-f]{8,64}$/u;

const idOf = (
  { ids, open }: Archive,
  mail: readonly WireMessage[],
  wanted: string,
): string => {
  const digits = wanted.replace(/^#/u, '');
  const isNumber = /^\d+$/u.test(digits);
  const message = isNumber
    ? mail.find(({ number }) => number === BigInt(digits))
    : undefined;
  if (message !== undefined) return message.messageId;
  if (ID_START.test(wanted)) {
    const all = [...ids, ...open.map(({ messageId }) => messageId)];
    const found = new Set(all.filter((id) => id.startsWith(wanted)));
    const [first] = found;
    if (first !== undefined && found.size === 1) return first;
    if (found.size > 1) {
      throw new CliError(
        `${found.size} messages have ids that begin with ${wanted}; write more of it`,
      );
    }
  }
  throw new CliError(
    isNumber
      ? `there is no message #${digits} in the inbox; without a number, all conversations are listed`
      : `"${visibleLine(wanted)}" is neither the number of a message nor the beginning of an id; "inbox" shows the numbers`,
  );
};

/**
 * The turn that a message belongs to: that of its own, the one that sent it, or
 * the one that asked.
 *
 * @param wanted - a number of `mail`, or the beginning of a message id
 */
export const findTurn = async (
  archive: Archive,
  mail: readonly WireMessage[],
  wanted: string,
): Promise<string> => {
  const messageId = idOf(archive, mail, wanted);
  const stored = await archive.get(messageId);
  if (stored !== undefined && !isPointer(stored)) return messageId;
  const asked = archive.open.find((each) => each.messageId === messageId);
  const turn = stored?.pointsTo ?? asked?.askedBy ?? asked?.tip;
  if (turn !== undefined && turn !== null) return turn;
  throw new CliError(
    `the agent has no record of message ${visibleLine(wanted)}: no turn began with it, sent it or asked for it`,
  );
};
harden(findTurn);
