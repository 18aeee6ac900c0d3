import type { FormulaId } from '../formula/formula.ts';
import type { NameOrPath } from '../name/directory-service.ts';
import type { NameHubs } from '../name/name-hubs.ts';
import { pathFrom } from '../name/pet-name.ts';
import type { Database } from '../store/database.ts';
import type { MailboxStore, NumberedMessage } from '../store/mailboxes.ts';
import type { MailSignals } from './mail-signals.ts';
import type { MessageView } from './message-view.ts';
import { identifyParcel, type Parcel } from './parcel.ts';
import type { PostOffice } from './post-office.ts';
import { proposalOf } from './proposal-message.ts';

/** Reads a mailbox message by message; `undefined` when closed. */
export type MailCursor = {
  readonly next: () => Promise<object | undefined>;
  readonly close: () => void;
};

export type MailService = {
  readonly send: (agent: FormulaId, to: NameOrPath, parcel: Parcel) => void;
  readonly reply: (agent: FormulaId, number: bigint, parcel: Parcel) => void;
  readonly adopt: (
    agent: FormulaId,
    number: bigint,
    edgeName: string,
    to: NameOrPath,
  ) => void;
  readonly listMessages: (agent: FormulaId) => readonly object[];
  /** @param after - number of a message, to have only those after it */
  readonly follow: (agent: FormulaId, after?: bigint) => MailCursor;
};

export type MailServicePowers = {
  readonly database: Database;
  readonly mailboxes: MailboxStore;
  readonly hubs: NameHubs;
  readonly office: PostOffice;
  readonly signals: MailSignals;
  readonly view: MessageView;
};

/** The values that came with a message, by edge name. Throws when it carries none. */
const carriedBy = (
  message: NumberedMessage,
): { names: readonly string[]; ids: readonly FormulaId[] } => {
  const { type, number, body } = message;
  const proposal = proposalOf(message);
  if (proposal !== undefined)
    return { names: proposal.edgeNames, ids: proposal.ids };
  if (type === 'package') {
    return {
      names: body['names'] as readonly string[],
      ids: body['ids'] as readonly FormulaId[],
    };
  }
  throw Error(
    `Message ${number} carries no values to adopt: it is a ${type}, and not a package or a proposal`,
  );
};

/**
 * The database is the queue: a reader that is slow, or gone, costs a number.
 * Calls of `next` are answered in order.
 */
const makeFollow =
  ({ mailboxes, office, signals, view }: MailServicePowers) =>
  (agent: FormulaId, from = -1n): MailCursor => {
    const handle = office.handleOf(agent);
    let after = from;
    let closed = false;
    let turn: Promise<object | undefined> = Promise.resolve(undefined);

    const isClosed = (): boolean => closed;

    const take = async (): Promise<object | undefined> => {
      while (!isClosed()) {
        const message = mailboxes.nextAfter(handle, after);
        if (message !== undefined) {
          after = message.number;
          return view(agent, message);
        }
        await signals.changed(handle);
      }
      return undefined;
    };

    return harden({
      next: () => {
        turn = turn.then(take, take);
        return turn;
      },
      close: () => {
        closed = true;
        signals.notify(handle);
      },
    });
  };

export const makeMailService = (powers: MailServicePowers): MailService => {
  const { database, mailboxes, hubs, office, view } = powers;

  const postPackage = (
    agent: FormulaId,
    to: FormulaId,
    parcel: Parcel,
    thread: { readonly replyTo?: string },
  ): void => {
    const ids = identifyParcel(hubs, agent, parcel);
    const { strings, edgeNames: names } = parcel;
    const body = { strings, names, ids };
    office.post({
      type: 'package',
      from: office.handleOf(agent),
      to,
      ...thread,
      body,
      values: ids,
    });
  };

  return harden({
    follow: makeFollow(powers),
    send: (agent, to, parcel) =>
      database.transact(() =>
        postPackage(agent, office.recipient(agent, to), parcel, {}),
      ),
    reply: (agent, number, parcel) =>
      database.transact(() => {
        const { from, to, messageId } = office.requireMessage(agent, number);
        const other = from === office.handleOf(agent) ? to : from;
        postPackage(agent, other, parcel, { replyTo: messageId });
      }),
    adopt: (agent, number, edgeName, to) =>
      database.transact(() => {
        const { names, ids } = carriedBy(office.requireMessage(agent, number));
        const id = ids[names.indexOf(edgeName)];
        if (id === undefined) {
          const known =
            names.length === 0
              ? 'none'
              : names.map((name) => JSON.stringify(name)).join(', ');
          throw Error(
            `Message ${number} carries no value under the edge name ${JSON.stringify(edgeName)}; it has ${known}`,
          );
        }
        hubs.bind(hubs.writablePlace(agent, pathFrom(to)), id);
      }),
    listMessages: (agent) =>
      harden(
        mailboxes
          .list(office.handleOf(agent))
          .map((message) => view(agent, message)),
      ),
  });
};
harden(makeMailService);
