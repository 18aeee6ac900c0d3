import type { AskMail } from '../endo/guest.ts';
import type { AdmittedPath } from '../endo/name-gate.ts';
import type { TurnAsking } from '../guest-tools/turn-powers.ts';
import type { NotingLedger } from './call-notes.ts';
import type { Asker, Decisions } from './decisions.ts';
import type { Ask, Post, Sender } from './post.ts';

/** What a turn of the HOST may ask of others, in one call of a tool. */
export const makeTurnAsking = ({
  post,
  decisions,
  ledger,
  asker,
  sender,
  isAnswered,
}: {
  readonly post: Post;
  readonly decisions: Decisions;
  readonly ledger: NotingLedger;
  readonly asker: Omit<Asker, 'resultName'>;
  readonly sender: Sender;
  /**
   * Whether this turn answers them, who are not the HOST: two agents that asked
   * back whenever they are asked would never stop.
   */
  readonly isAnswered: (to: AdmittedPath) => Promise<boolean>;
}): TurnAsking => {
  const ask = async (asked: Ask): Promise<AskMail> => {
    let stored: Promise<AskMail> | undefined;
    await post.ask(asked, sender, (copy) => {
      const path =
        asked.kind === 'proposal' ? asked.resultName : asked.responseName;
      const resultName = path?.join('/') ?? null;
      stored = decisions
        .opened(copy, { ...asker, resultName })
        .then(() => copy);
      const { number } = copy;
      ledger.noteAsked(
        copy.type === 'proposal'
          ? { kind: copy.type, number, source: copy.source }
          : { kind: copy.type, number },
      );
    });
    const mail = await stored;
    if (mail !== undefined) return mail;
    throw Error(
      'It was asked, but cannot be found: look for it with listMessages',
    );
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
