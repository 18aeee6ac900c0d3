import type { AskMail } from '../endo/guest.ts';
import type { AdmittedPath } from '../endo/name-gate.ts';
import type { TurnAsking } from '../guest-tools/turn-powers.ts';
import type { Asker, Decisions } from './decisions.ts';
import type { Ledger } from './ledger.ts';
import type { Ask, Post } from './post.ts';

/** What a turn of the HOST may ask of others. */
export const makeTurnAsking = ({
  post,
  decisions,
  ledger,
  asker,
  isAnswered,
}: {
  readonly post: Post;
  readonly decisions: Decisions;
  readonly ledger: Ledger;
  readonly asker: Omit<Asker, 'resultName'>;
  /**
   * Whether this turn answers them, who are not the HOST: two agents that asked
   * back whenever they are asked would never stop.
   */
  readonly isAnswered: (to: AdmittedPath) => Promise<boolean>;
}): TurnAsking => {
  const turn = {
    messageId: asker.askedBy,
    correspondent: asker.correspondent,
  };

  const ask = async (asked: Ask): Promise<AskMail> => {
    let stored: Promise<void> | undefined;
    const mail = await post.ask(asked, turn, (copy) => {
      const path =
        asked.kind === 'proposal' ? asked.resultName : asked.responseName;
      const resultName = path?.join('/') ?? null;
      stored = decisions.opened(copy, { ...asker, resultName });
      const { number } = copy;
      ledger.noteAsked(
        copy.type === 'proposal'
          ? { kind: copy.type, number, source: copy.source }
          : { kind: copy.type, number },
      );
    });
    await stored;
    return mail;
  };

  return harden({
    propose: (proposal: Parameters<TurnAsking['propose']>[0]) =>
      ask({ kind: 'proposal', ...proposal }),
    request: async (
      to: AdmittedPath,
      description: string,
      responseName: AdmittedPath,
    ) => {
      if (await isAnswered(to)) {
        throw Error(
          `Cannot ask ${JSON.stringify(to.join('/'))} for a value while you are answering them: ask in words, with reply`,
        );
      }
      return ask({ kind: 'request', to, description, responseName });
    },
    isPromised: (path: AdmittedPath) =>
      decisions.open().some(({ resultName }) => resultName === path.join('/')),
  });
};
harden(makeTurnAsking);

const closed = (): Promise<never> =>
  Promise.reject(Error('Only the host can have something asked of others'));

/** For the turns of anyone else. */
export const noAsking: TurnAsking = harden({
  propose: closed,
  request: closed,
  isPromised: () => false,
});
harden(noAsking);
