import { E, Far } from '@endo/far';

import type { ReviewMail } from '../../src/endo/guest.ts';
import type { AgentWorld } from '../support/agent-world.ts';
import type { Person } from '../support/person.ts';
import { introduce } from './acquaintance.ts';

type DecidingHost = {
  readonly grantEvaluate: (number: bigint) => Promise<unknown>;
  readonly counterEvaluate: (
    number: bigint,
    source: string,
    codeNames: readonly string[],
    petNames: readonly string[],
  ) => Promise<void>;
};

/** What a HOST does with proposals, beyond what a guest can. */
export const deciding = (host: object) => ({
  grant: (number: bigint): Promise<unknown> =>
    E(host as DecidingHost).grantEvaluate(number),
  counter: (
    number: bigint,
    source: string,
    codeNames: readonly string[] = [],
    petNames: readonly string[] = [],
  ): Promise<void> =>
    E(host as DecidingHost).counterEvaluate(
      number,
      source,
      harden([...codeNames]),
      harden([...petNames]),
    ),
});

/** The next message to this person, which is a proposal. */
export const receiveProposal = async ({
  receive,
}: Person): Promise<ReviewMail> => {
  const mail = await receive();
  if (mail.type !== 'review') throw Error(`That is no proposal: ${mail.type}`);
  return mail;
};

/** A counter that both the agent and its HOST have as `counter`. */
export const putCounter = async ({ world, hob }: AgentWorld) => {
  let count = 41;
  const counter = Far('Counter', {
    increment: () => {
      count += 1;
      return count;
    },
  });
  await world.hostAgent.put('counter', counter);
  const id = await E(
    world.host as { identify: (name: string) => Promise<string> },
  ).identify('counter');
  await introduce(hob.powers, 'counter', id);
  return { count: () => count };
};

/** The last thing that the model was told. */
export const lastOf = (
  requests: readonly {
    readonly messages: readonly { readonly content: string }[];
  }[],
): string => requests.at(-1)?.messages.at(-1)?.content ?? '';
