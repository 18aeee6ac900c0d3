import type { Guest, Mail, NamePath } from '../endo/guest.ts';
import type { AdmittedPath } from '../endo/name-gate.ts';
import type { AdmittedParcel, TurnMail } from '../guest-tools/turn-powers.ts';
import { depthOf, withDepth } from '../transcript/depth.ts';
import type { NotingLedger } from './call-notes.ts';
import type { Post, Sender } from './post.ts';

export type TurnMailPowers = {
  readonly guest: Guest;
  readonly post: Post;
  readonly ledger: NotingLedger;
  /** For what the one call sends that these powers are made for. */
  readonly sender: Sender;
  /** Of the chain, this one included. */
  readonly turns: number;
  /** The message that this turn answers; gone when an outcome is told late. */
  readonly answering: Mail | undefined;
  /** Own proposals and requests: they stay until they are decided and told. */
  readonly isOpen: (number: bigint) => boolean;
  /** Handle id of whom this turn serves. */
  readonly correspondent: string;
  /** Whether that is the HOST, to whom new mail is written at will. */
  readonly servesHost: boolean;
  /** Handle id of the agent itself. */
  readonly self: string;
};

const findMail = async (
  list: () => Promise<readonly Mail[]>,
  number: bigint,
  action: string,
): Promise<Mail> => {
  const mail = (await list()).find((each) => each.number === number);
  if (mail !== undefined) return mail;
  throw Error(
    `Cannot ${action} message ${number}: there is no such message; see listMessages`,
  );
};

const edgeId = (mail: Mail, edgeName: string): string => {
  if (mail.type === 'package') {
    const id = mail.ids[mail.names.indexOf(edgeName)];
    if (id !== undefined) return id;
  }
  if (mail.type === 'review') {
    const id = mail.ids[mail.edgeNames.indexOf(edgeName)];
    if (id !== undefined) return id;
  }
  throw Error(
    `Cannot adopt ${JSON.stringify(edgeName)}: message ${mail.number} carries no value of that name`,
  );
};

const withDepthOf = (
  { turns }: TurnMailPowers,
  parcel: AdmittedParcel,
): AdmittedParcel => {
  const [first = '', ...rest] = parcel.strings;
  const strings = [withDepth(first, depthOf(turns)), ...rest];
  return harden({ ...parcel, strings });
};

const adoptAs = async (
  { guest, ledger }: TurnMailPowers,
  mail: Mail,
  edgeName: string,
  path: NamePath,
  replace: boolean,
): Promise<NamePath> => {
  const id = edgeId(mail, edgeName);
  const present = await guest.identify(path);
  if (present !== undefined && present !== id && !replace) {
    throw Error(
      `Cannot adopt as ${JSON.stringify(path.join('/'))}: that name has another value; choose another name, or say replace`,
    );
  }
  // Adopting what the name already means changes nothing.
  if (present !== id) await guest.adopt(mail.number, edgeName, path);
  ledger.noteAdopted(mail.number, edgeName);
  return path;
};

/**
 * What is written anew belongs to no conversation that is counted: two agents
 * that did so in answer to each other would never stop.
 */
const assertMayStartAnew = ({
  servesHost,
  answering,
}: TurnMailPowers): void => {
  if (servesHost || answering === undefined) return;
  throw Error(
    `Cannot start a conversation with whom you are answering: use reply, to message ${answering.number}`,
  );
};

/** All of the guest's mail: for the HOST's turns. */
export const makeFullTurnMail = (powers: TurnMailPowers): TurnMail => {
  const { guest, post, ledger, answering, correspondent, self } = powers;
  const { sender } = powers;
  const list = guest.listMessages;

  return harden({
    list,
    send: async (recipient: AdmittedPath, parcel: AdmittedParcel) => {
      const to = await guest.locate(recipient);
      const isCorrespondent = to?.id === correspondent;
      // The handle of an agent is not known by the agent's name: it may be his.
      const mayBe = isCorrespondent || to?.type !== 'handle';
      if (mayBe) assertMayStartAnew(powers);
      await post.send(recipient, parcel, sender);
      ledger.noteMessage(isCorrespondent);
    },
    reply: async (number: bigint, parcel: AdmittedParcel) => {
      const mail =
        answering !== undefined && number === answering.number
          ? answering
          : await findMail(list, number, 'reply to');
      await post.reply(mail, withDepthOf(powers, parcel), sender);
      const to = mail.from === self ? mail.to : mail.from;
      ledger.noteMessage(to === correspondent);
    },
    adopt: async (
      number: bigint,
      edgeName: string,
      path: AdmittedPath,
      { replace }: { readonly replace: boolean },
    ) => {
      const mail = await findMail(list, number, 'adopt from');
      return adoptAs(powers, mail, edgeName, path, replace);
    },
    dismiss: async (number: bigint) => {
      if (number === answering?.number) {
        // A reply to a dismissed message is impossible, so it goes at the end.
        ledger.noteDismissWish();
        return 'deferred' as const;
      }
      if (powers.isOpen(number)) {
        throw Error(
          `Cannot dismiss message ${number}: it is your own, and not decided yet. It goes by itself when you have been told the outcome`,
        );
      }
      await guest.dismiss(number);
      return 'dismissed' as const;
    },
    resolve: async (number: bigint, path: AdmittedPath) => {
      await guest.resolve(number, path);
      ledger.noteDecided(number);
    },
    reject: async (number: bigint, reason: string) => {
      await guest.reject(number, reason);
      ledger.noteDecided(number);
    },
  });
};
harden(makeFullTurnMail);

/**
 * The mail exchanged with one correspondent, and nothing else: for the turns
 * of anyone but the HOST. What is adopted goes under `from-<label>/`, and only
 * what lies there can be sent.
 */
export const makeCorrespondentTurnMail = (
  powers: TurnMailPowers,
  /** A valid pet name, such as `from-bob` or `from-unknown-3f2a91`. */
  folder: string,
): TurnMail => {
  const { guest, post, ledger, answering, correspondent, sender } = powers;
  const list = async (): Promise<readonly Mail[]> =>
    (await guest.listMessages()).filter(
      ({ from, to }) => from === correspondent || to === correspondent,
    );

  return harden({
    list,
    send: () =>
      Promise.reject(Error('Only reply is possible in this conversation')),
    reply: async (number: bigint, parcel: AdmittedParcel) => {
      const mail =
        answering !== undefined && number === answering.number
          ? answering
          : await findMail(list, number, 'reply to');
      await post.reply(mail, withDepthOf(powers, parcel), sender);
      ledger.noteMessage(true);
    },
    adopt: async (
      number: bigint,
      edgeName: string,
      path: AdmittedPath,
      { replace }: { readonly replace: boolean },
    ) => {
      const mail = await findMail(list, number, 'adopt from');
      edgeId(mail, edgeName);
      if (!(await guest.has([folder]))) await guest.makeDirectory([folder]);
      return adoptAs(powers, mail, edgeName, path, replace);
    },
    dismiss: () =>
      Promise.reject(Error('Only the host can have mail dismissed')),
    resolve: () =>
      Promise.reject(Error('Only the host can have requests answered')),
    reject: () =>
      Promise.reject(Error('Only the host can have requests answered')),
  });
};
harden(makeCorrespondentTurnMail);
