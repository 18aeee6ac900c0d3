import { shownPath } from './attempt.ts';
import type { Guest, GuestIdentity, NamePath, Parcel } from './guest.ts';
import type { Intent } from './intent.ts';

/** A message to be, by the names that the guest has for things. */
export type Draft = {
  /** The id of the tool call that wants it, or `closing`. */
  readonly key: string;
} & (
  | {
      readonly type: 'send';
      readonly to: NamePath;
      readonly parcel: Parcel;
    }
  | {
      readonly type: 'reply';
      readonly answers: { readonly number: bigint; readonly messageId: string };
      /** Handle id of the other party of that message. */
      readonly to: string;
      readonly parcel: Parcel;
    }
  | {
      readonly type: 'proposal';
      readonly source: string;
      readonly codeNames: readonly string[];
      readonly petNames: readonly NamePath[];
      readonly resultName: NamePath | undefined;
    }
  | {
      readonly type: 'request';
      readonly to: NamePath;
      readonly description: string;
      readonly responseName: NamePath;
    }
);

/** A draft whose names have been resolved. */
export type Addressed = {
  readonly intent: Omit<Intent, 'watermark'>;
  /**
   * The one call by which it leaves. For a package it ends when that has left;
   * for a proposal or a request, when it is decided.
   */
  readonly leave: () => Promise<unknown>;
};

export type DraftPowers = {
  readonly guest: Pick<
    Guest,
    'identify' | 'locate' | 'send' | 'reply' | 'evaluate' | 'request'
  >;
  readonly identity: Pick<GuestIdentity, 'host'>;
};

/** @throws Error when one of its names names nothing; then nothing has left */
export const addressDraft = async (
  { guest, identity }: DraftPowers,
  draft: Draft,
): Promise<Addressed> => {
  const nothingAt = (path: NamePath): Error =>
    Error(`Nothing was sent: there is nothing named ${shownPath(path)}`);
  const idOf = async (path: NamePath): Promise<string> => {
    const id = await guest.identify(path);
    if (id === undefined) throw nothingAt(path);
    return id;
  };
  /** A name may also be that of an agent, whose handle is another id. */
  const recipientAt = async (path: NamePath): Promise<{ to?: string }> => {
    const located = await guest.locate(path);
    if (located === undefined) throw nothingAt(path);
    return located.type === 'handle' ? { to: located.id } : {};
  };
  const idsOf = (paths: readonly NamePath[]): Promise<readonly string[]> =>
    Promise.all(paths.map(idOf));
  const { key } = draft;

  switch (draft.type) {
    case 'send': {
      const { parcel } = draft;
      const [to, ids] = await Promise.all([
        recipientAt(draft.to),
        idsOf(parcel.petNames),
      ]);
      const { strings, edgeNames: names } = parcel;
      return {
        intent: { key, type: 'package', ...to, strings, names, ids },
        leave: () => guest.send(draft.to, parcel),
      };
    }
    case 'reply': {
      const { parcel, answers, to } = draft;
      const ids = await idsOf(parcel.petNames);
      const { strings, edgeNames: names } = parcel;
      const { messageId: replyTo, number } = answers;
      return {
        intent: { key, type: 'package', to, replyTo, strings, names, ids },
        leave: () => guest.reply(number, parcel),
      };
    }
    case 'proposal': {
      const { source, codeNames, petNames, resultName } = draft;
      const ids = await idsOf(petNames);
      return {
        intent: {
          ...{ key, type: 'proposal', to: identity.host },
          ...{ strings: [source], names: codeNames, ids },
        },
        leave: () =>
          guest.evaluate(undefined, source, codeNames, petNames, resultName),
      };
    }
    case 'request': {
      const { description, responseName } = draft;
      const to = await recipientAt(draft.to);
      return {
        intent: {
          ...{ key, type: 'request', ...to },
          ...{ strings: [description], names: [], ids: [] },
        },
        leave: () => guest.request(draft.to, description, responseName),
      };
    }
  }
};
harden(addressDraft);
