import { formatPath, pathFrom } from '../name/pet-name.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import type { AgentFormula, FormulaId } from '../formula/formula.ts';
import type { Ids } from '../formula/ids.ts';
import type { Collector } from '../store/collector.ts';
import type { Database } from '../store/database.ts';
import type {
  MailboxStore,
  MessageBody,
  NumberedMessage,
} from '../store/mailboxes.ts';
import type { MailSignals } from './mail-signals.ts';

export type Draft = {
  readonly type: string;
  readonly from: FormulaId;
  readonly to: FormulaId;
  readonly replyTo?: string;
  readonly body: MessageBody;
  /** The sender's copy comes first, before the recipient's. */
  readonly senderFirst?: boolean;
  /** What the message keeps from being collected, besides its two parties. */
  readonly values: readonly FormulaId[];
};

/** Puts messages into mailboxes and takes them out. One call is one transaction. */
export type PostOffice = {
  /** Into the mailboxes of both, or of neither. Returns the `messageId`. */
  readonly post: (draft: Draft) => string;
  /** The handle of an agent. Throws when the agent is no more. */
  readonly handleOf: (agent: FormulaId) => FormulaId;
  /** The handle that a name of `agent` stands for as a correspondent. */
  readonly recipient: (agent: FormulaId, to: NameOrPath) => FormulaId;
  /** Throws in words when there is no such message in the agent's mailbox. */
  readonly requireMessage: (
    agent: FormulaId,
    number: bigint,
  ) => NumberedMessage;
  readonly dismiss: (agent: FormulaId, number: bigint) => void;
  readonly dismissAll: (agent: FormulaId) => void;
  /** Within the transaction that takes the message out of a mailbox, before it does. */
  readonly beforeDismissed: (
    listener: (handle: FormulaId, message: NumberedMessage) => void,
  ) => void;
  readonly onDismissed: (
    listener: (handle: FormulaId, number: bigint) => void,
  ) => void;
};

export type PostOfficePowers = {
  readonly database: Database;
  readonly mailboxes: MailboxStore;
  readonly collector: Collector;
  readonly hubs: NameHubs;
  readonly ids: Ids;
  readonly signals: MailSignals;
  /** ISO 8601 */
  readonly now: () => string;
};

const makeAddresses = (hubs: NameHubs) => {
  const handleOf = (agent: FormulaId): FormulaId => {
    const formula = hubs.get(agent) as AgentFormula | undefined;
    if (formula === undefined)
      throw Error('This agent no longer exists: nothing names it any more');
    return formula.handle;
  };
  const recipient = (agent: FormulaId, to: NameOrPath): FormulaId => {
    const path = pathFrom(to);
    const id = hubs.require(agent, path);
    const type = hubs.typeOf(id);
    if (type === 'handle') return id;
    if (type === 'guest' || type === 'host') return handleOf(id);
    throw Error(
      `Cannot send to ${formatPath(path)}: it is a value of the kind ${type}, and not a guest or host`,
    );
  };
  return { handleOf, recipient };
};

export const makePostOffice = (powers: PostOfficePowers): PostOffice => {
  const { database, mailboxes, collector, ids, signals, now } = powers;
  const { handleOf, recipient } = makeAddresses(powers.hubs);
  const listeners: ((handle: FormulaId, number: bigint) => void)[] = [];
  const steps: ((handle: FormulaId, message: NumberedMessage) => void)[] = [];

  const requireMessage = (
    agent: FormulaId,
    number: bigint,
  ): NumberedMessage => {
    const handle = handleOf(agent);
    const message = mailboxes.get(handle, number);
    if (message !== undefined) return message;
    throw Error(
      mailboxes.wasUsed(handle, number)
        ? `Message ${number} was dismissed and is no longer in the mailbox`
        : `There is no message ${number} in the mailbox`,
    );
  };

  const take = (handle: FormulaId, message: NumberedMessage): void => {
    const { number } = message;
    for (const step of steps) step(handle, message);
    for (const id of mailboxes.dismiss(handle, number)) collector.suspect(id);
    database.afterCommit(() => {
      for (const listener of listeners) listener(handle, number);
    });
  };

  return harden({
    handleOf,
    recipient,
    requireMessage,
    post: ({ type, from, to, replyTo, body, values, senderFirst = false }) =>
      database.transact(() => {
        const messageId = ids.makeMessageId();
        const thread = replyTo === undefined ? {} : { replyTo };
        mailboxes.putMessage(
          { messageId, type, date: now(), from, to, ...thread, body },
          [from, to, ...values],
        );
        for (const handle of new Set(senderFirst ? [from, to] : [to, from])) {
          mailboxes.deliver(handle, messageId);
          database.afterCommit(() => signals.notify(handle));
        }
        return messageId;
      }),
    dismiss: (agent, number) =>
      database.transact(() => {
        take(handleOf(agent), requireMessage(agent, number));
      }),
    dismissAll: (agent) =>
      database.transact(() => {
        const handle = handleOf(agent);
        for (const message of mailboxes.list(handle)) take(handle, message);
      }),
    beforeDismissed: (step) => {
      steps.push(step);
    },
    onDismissed: (listener) => {
      listeners.push(listener);
    },
  });
};
harden(makePostOffice);
