/** The HOST at one end of the mail; old mail is not read again after a restart. */
import { E } from '@endo/far';
import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';

import type { FarHost, FarIterator } from '../test/support/daemon.ts';

/** A message, as far as the bench goes on from it. */
export type BenchMail = {
  readonly messageId: string;
  readonly number: bigint;
  readonly replyTo?: string;
  readonly from: string;
};

export type BenchHost = {
  /** A new message to the agent, or a reply; its id. */
  readonly say: (text: string, before?: BenchMail) => Promise<string>;
  readonly answerTo: (messageId: string) => Promise<BenchMail>;
};

export const makeBenchHost = async (host: FarHost): Promise<BenchHost> => {
  const self = (await E(host).identify('SELF')) as string;
  const mail = (await E(host).listMessages()) as readonly BenchMail[];
  const iterator = (await E(host).followMessages(
    mail.at(-1)?.number ?? -1n,
  )) as FarIterator;
  const answers = new Map<string, PromiseKit<BenchMail>>();
  const answerKit = (messageId: string): PromiseKit<BenchMail> => {
    const kit = answers.get(messageId) ?? makePromiseKit<BenchMail>();
    answers.set(messageId, kit);
    return kit;
  };
  let own = makePromiseKit<string>();

  const follow = async (): Promise<void> => {
    for (;;) {
      const { value } = (await E(iterator).next()) as { value: BenchMail };
      if (value.from === self) own.resolve(value.messageId);
      else if (value.replyTo !== undefined) {
        answerKit(value.replyTo).resolve(value);
      }
    }
  };
  follow().catch(() => {
    // The daemon is gone.
  });

  const none = harden([]);
  return {
    // One at a time: the next own copy is that of this message.
    say: async (text, before) => {
      own = makePromiseKit<string>();
      const strings = harden([text]);
      await (before === undefined
        ? E(host).send('hob', strings, none, none)
        : E(host).reply(before.number, strings, none, none));
      return own.promise;
    },
    answerTo: async (messageId) => {
      const answer = await answerKit(messageId).promise;
      answers.delete(messageId);
      return answer;
    },
  };
};
harden(makeBenchHost);
