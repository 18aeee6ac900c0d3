import { makeCapTP, type CapTPMessage } from '@endo/captp';
import { makeKeptAnswers } from './kept-answers.ts';
import { defaultLimits, type SessionLimits } from './session-limits.ts';
import { makeSlotTables, type SlotTables } from './slot-tables.ts';
import { makeTransmitter } from './transmitter.ts';
import { nameIncoming, parseMessage, REVIVES, slotsOf } from './wire.ts';

export type SessionCounts = {
  readonly pendingCalls: number;
  readonly returnedAnswers: number;
  readonly exports: number;
  readonly unsettledPromises: number;
  readonly openQuestions: number;
};

/** CapTP with one peer, apart from the bytes that carry it. */
export type Session = {
  readonly getBootstrap: () => Promise<unknown>;
  /** Takes a frame. Throws when the peer broke the protocol or a limit. */
  readonly receive: (text: string) => void;
  /** Rejects all that is pending, here, with the reason. */
  readonly abort: (reason: Error) => void;
  readonly counts: () => SessionCounts;
};

export type SessionOptions = {
  readonly name: string;
  readonly bootstrap: unknown;
  readonly maxFrameBytes: number;
  readonly send: (text: string) => void;
  /** The peer says that it ends the connection. */
  readonly onDisconnect: (why: string) => void;
  readonly onReject?: ((error: unknown) => void) | undefined;
  readonly limits?: Partial<SessionLimits> | undefined;
};

const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

const isText = (value: unknown): value is string => typeof value === 'string';

export const makeSession = ({
  name,
  bootstrap,
  maxFrameBytes,
  send,
  onDisconnect,
  onReject,
  limits: someLimits,
}: SessionOptions): Session => {
  const limits = { ...defaultLimits, ...someLimits };
  let ended = false;
  let peerRevives = false;
  let lastFailure: unknown;
  let tables: SlotTables | undefined;

  const answers = makeKeptAnswers({
    maxReturned: limits.maxAnswers,
    maxReturnedBytes: limits.maxAnswerBytes,
    onLetGo: (question) => {
      const slotID = `q-${question.slice(2)}`;
      capTP.dispatch({ type: 'CTP_DROP', slotID, decRefs: Infinity });
    },
  });

  const capTP = makeCapTP(
    name,
    (message) => transmitter.transmit(message),
    bootstrap,
    {
      gcImports: true,
      onReject: (error) => {
        lastFailure = error;
        onReject?.(error);
      },
      makeCapTPImportExportTables: (options) => {
        tables = makeSlotTables(options, () => peerRevives);
        return tables;
      },
    },
  );
  if (tables === undefined) throw Error('CapTP did not ask for its tables');
  const slots: SlotTables = tables;

  const transmitter = makeTransmitter({
    name,
    maxFrameBytes,
    send: (text) => {
      if (!ended) send(text);
    },
    capTP,
    slots,
    answers,
    peerRevives: () => peerRevives,
  });
  const { transmit, announce, openQuestions } = transmitter;

  const dispatch = (message: CapTPMessage): boolean => {
    lastFailure = undefined;
    return capTP.dispatch(message);
  };

  /** Answers a call that CapTP would leave unanswered. */
  const refuse = (question: string, why: string): void => {
    // Nothing is kept for it, so that no later call can be sent to it.
    answers.drop(question);
    const error = Error(`The call could not be delivered: ${why}`);
    transmit({
      type: 'CTP_RETURN',
      answerID: question,
      exception: capTP.serialize(harden(error)),
    });
  };

  const assertWithinLimits = (): void => {
    const held = [
      [answers.countPending(), limits.maxPendingCalls, 'unanswered calls'],
      [slots.countExports(), limits.maxExports, 'references it never dropped'],
      [slots.countUnsettled(), limits.maxUnsettled, 'unsettled promises'],
    ] as const;
    for (const [count, limit, what] of held) {
      if (count > limit) throw Error(`It holds more than ${limit} ${what}`);
    }
  };

  const receiveQuestion = (message: CapTPMessage): void => {
    const named = nameIncoming(message);
    const { questionID: question, target } = named;
    if (
      !isText(question) ||
      !question.startsWith('q+') ||
      answers.has(question)
    ) {
      throw Error('Each of its calls must have a new question number');
    }
    const isLost =
      isText(target) && target.startsWith('q+') && !answers.has(target);
    answers.ask(question);
    if (isLost) {
      refuse(question, 'the answer that it is sent to is no longer kept');
    } else if (!dispatch(named)) {
      refuse(question, textOf(lastFailure));
    }
    assertWithinLimits();
  };

  /** The error to put in the place of a payload that names a lost export. */
  const lostReference = (message: CapTPMessage): unknown => {
    const lost = slotsOf(message).find(
      (slot) =>
        slot.charAt(1) === '-' &&
        !slots.hasExport(`${slot.charAt(0)}+${slot.slice(2)}`),
    );
    if (lost === undefined) return undefined;
    return capTP.serialize(
      harden(Error(`The answer names an object, ${lost}, that is gone`)),
    );
  };

  const receiveSettlement = (message: CapTPMessage): void => {
    const { type, answerID, promiseID } = message;
    const isReturn = type === 'CTP_RETURN';
    const isAwaited = isReturn
      ? openQuestions.delete(answerID)
      : isText(promiseID) && slots.isUnsettled(promiseID);
    if (!isAwaited) return;
    if (!isReturn) slots.markSettled(promiseID as string);
    const lost = lostReference(message);
    const readable =
      lost === undefined
        ? message
        : isReturn
          ? { type, answerID, exception: lost }
          : { type, promiseID, rej: lost };
    if (!dispatch(readable)) {
      throw Error(`It sent an unreadable answer: ${textOf(lastFailure)}`);
    }
    assertWithinLimits();
  };

  const receiveDrop = (message: CapTPMessage): void => {
    const { slotID } = message;
    if (!isText(slotID)) throw Error('A drop must name what is dropped');
    const ours = `${slotID.charAt(0)}+${slotID.slice(2)}`;
    answers.drop(ours);
    dispatch(message);
    // It was sent again meanwhile: the peer has a new promise to settle.
    if (peerRevives && ours.startsWith('p') && slots.isKept(ours)) {
      announce(ours);
    }
  };

  const receive = (text: string): void => {
    if (ended) return;
    const message = parseMessage(text);
    if (message[REVIVES] === true) peerRevives = true;
    switch (message['type']) {
      case 'CTP_BOOTSTRAP':
      case 'CTP_CALL':
        receiveQuestion(message);
        break;
      case 'CTP_RETURN':
      case 'CTP_RESOLVE':
        receiveSettlement(message);
        break;
      case 'CTP_DROP':
        receiveDrop(message);
        break;
      case 'CTP_DISCONNECT': {
        const { why } = message;
        onDisconnect(isText(why) ? why.slice(0, 500) : '');
        break;
      }
      default:
        dispatch(message);
    }
  };

  return harden({
    getBootstrap: () => capTP.getBootstrap(),
    receive,
    abort: (reason: Error) => {
      if (ended) return;
      ended = true;
      capTP.abort(reason);
    },
    counts: () =>
      harden({
        pendingCalls: answers.countPending(),
        returnedAnswers: answers.countReturned(),
        exports: slots.countExports(),
        unsettledPromises: slots.countUnsettled(),
        openQuestions: openQuestions.size,
      }),
  });
};
harden(makeSession);
