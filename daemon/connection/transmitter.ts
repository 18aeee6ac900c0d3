import { E } from '@endo/far';
import type { CapTP, CapTPMessage } from '@endo/captp';
import type { KeptAnswers } from './kept-answers.ts';
import type { SlotTables } from './slot-tables.ts';
import { nameOutgoing, REVIVES, slotsOf } from './wire.ts';

/** The way of a session's messages out to its peer. */
export type Transmitter = {
  readonly transmit: (message: CapTPMessage) => void;
  /** Tells the peer, once more, what a promise that it was sent came to. */
  readonly announce: (slot: string) => void;
  /** Questions of ours that the peer has not answered. */
  readonly openQuestions: Set<unknown>;
};

const isText = (value: unknown): value is string => typeof value === 'string';

export const makeTransmitter = ({
  name,
  maxFrameBytes,
  send,
  capTP,
  slots,
  answers,
  peerRevives,
}: {
  readonly name: string;
  readonly maxFrameBytes: number;
  readonly send: (text: string) => void;
  readonly capTP: CapTP;
  readonly slots: SlotTables;
  readonly answers: KeptAnswers;
  /** Whether the peer can send again what we dropped. */
  readonly peerRevives: () => boolean;
}): Transmitter => {
  let hasSent = false;
  const openQuestions = new Set<unknown>();

  const announce = (slot: string): void => {
    const promiseID = `p-${slot.slice(2)}`;
    const resolve = (key: 'res' | 'rej', value: unknown): void => {
      const payload = capTP.serialize(harden(value));
      transmit({ type: 'CTP_RESOLVE', promiseID, [key]: payload });
    };
    E.when(
      slots.getExport(slot),
      (value) => resolve('res', value),
      (reason: unknown) => resolve('rej', reason),
    ).catch((error: unknown) => resolve('rej', error));
  };

  const keepWhatIsSent = (message: CapTPMessage): void => {
    for (const slot of slotsOf(message)) {
      if (slot.charAt(1) === '+' && slots.keepExport(slot)) {
        if (slot.startsWith('p')) announce(slot);
      }
    }
  };

  /** A message of ours that the peer would not take: its asker is told. */
  const refuseTooLarge = (message: CapTPMessage, bytes: number): void => {
    const exception = capTP.serialize(
      harden(
        Error(
          `A message of ${bytes} bytes is over the limit of ${maxFrameBytes} bytes of the connection ${JSON.stringify(name)}`,
        ),
      ),
    );
    const { type, answerID, promiseID, questionID } = message;
    if (type === 'CTP_RETURN') {
      transmit({ type, answerID, exception });
    } else if (type === 'CTP_RESOLVE') {
      transmit({ type, promiseID, rej: exception });
    } else if (type === 'CTP_CALL') {
      openQuestions.delete(questionID);
      void Promise.resolve().then(() =>
        capTP.dispatch({ type: 'CTP_RETURN', answerID: questionID, exception }),
      );
    }
  };

  const transmit = (message: CapTPMessage): void => {
    const { type, slotID, questionID, answerID } = message;
    // Of ends of connections we speak ourselves.
    if (type === 'CTP_DISCONNECT') return;
    // Who cannot send again what was dropped is not told of drops.
    const isObjectDrop =
      type === 'CTP_DROP' && isText(slotID) && !slotID.startsWith('q');
    if (isObjectDrop && !peerRevives()) return;
    if (type === 'CTP_CALL' || type === 'CTP_BOOTSTRAP') {
      openQuestions.add(questionID);
    }
    keepWhatIsSent(message);
    const named = nameOutgoing(message);
    const text = JSON.stringify(
      hasSent ? named : { ...named, [REVIVES]: true },
    );
    const bytes = Buffer.byteLength(text, 'utf8');
    if (bytes > maxFrameBytes) {
      refuseTooLarge(message, bytes);
      return;
    }
    hasSent = true;
    send(text);
    if (type === 'CTP_RETURN' && isText(answerID)) {
      answers.settle(answerID, bytes);
    }
  };

  return { transmit, announce, openQuestions };
};
harden(makeTransmitter);
