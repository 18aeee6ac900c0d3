import type { CapTPMessage } from '@endo/captp';

/**
 * The names that a message bears on the wire, and those that our CapTP is
 * shown. CapTP stores an answer under the question's name `q-N` and drops it
 * under `q+N`, so that answers are kept for the life of a connection; and it
 * counts a call to one of our exports as a reference to the peer's object of
 * the same number. Renaming what comes in, and back what goes out, mends both
 * without the peer knowing.
 */

/**
 * A field beside CapTP's own, by which one of our connections tells the other
 * end that it can send again what was dropped. Others ignore it.
 */
export const REVIVES = 'hobRevives';
harden(REVIVES);

const isSlot = (value: unknown, prefix: string): value is string =>
  typeof value === 'string' && value.startsWith(prefix);

const renamed = (value: unknown): unknown => {
  if (isSlot(value, 'q-')) return `q+${value.slice(2)}`;
  // Any second character but `+` and `-` still reverses to our export.
  if (isSlot(value, 'o-')) return `o.${value.slice(2)}`;
  if (isSlot(value, 'p-')) return `p.${value.slice(2)}`;
  return value;
};

/** A message off the wire as our CapTP has to see it. */
export const nameIncoming = (message: CapTPMessage): CapTPMessage => {
  switch (message['type']) {
    case 'CTP_CALL':
      return {
        ...message,
        questionID: renamed(message['questionID']),
        target: renamed(message['target']),
      };
    case 'CTP_BOOTSTRAP':
      return { ...message, questionID: renamed(message['questionID']) };
    default:
      return message;
  }
};
harden(nameIncoming);

/** A message of our CapTP as it goes over the wire. */
export const nameOutgoing = (message: CapTPMessage): CapTPMessage => {
  const answerID = message['answerID'];
  if (message['type'] !== 'CTP_RETURN' || !isSlot(answerID, 'q+')) {
    return message;
  }
  return { ...message, answerID: `q-${answerID.slice(2)}` };
};
harden(nameOutgoing);

const PAYLOADS = ['method', 'result', 'exception', 'res', 'rej'] as const;

/** The slots that the payload of a message names; none when it is malformed. */
export const slotsOf = (message: CapTPMessage): readonly string[] => {
  for (const key of PAYLOADS) {
    const payload = message[key];
    if (typeof payload === 'object' && payload !== null) {
      const { slots } = payload as { slots?: unknown };
      return Array.isArray(slots)
        ? slots.filter((slot): slot is string => typeof slot === 'string')
        : [];
    }
  }
  return [];
};
harden(slotsOf);

/** Reads a frame. Throws unless it is a JSON object with a type. */
export const parseMessage = (text: string): CapTPMessage => {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    throw Error('A frame must hold JSON, and this one does not', {
      cause: error,
    });
  }
  const isMessage =
    typeof message === 'object' &&
    message !== null &&
    typeof (message as CapTPMessage)['type'] === 'string';
  if (!isMessage) throw Error('A frame must hold a CapTP message');
  return message as CapTPMessage;
};
harden(parseMessage);
