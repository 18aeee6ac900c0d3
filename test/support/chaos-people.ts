/** Those whom the agents that are killed deal with: the HOST, and Bob. */
import { E } from '@endo/far';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest, Mail } from '../../src/endo/guest.ts';
import type { FarGuest, FarHost } from './daemon.ts';

type Box = ReadonlyMap<string, Mail>;

export type ChaosPeople = {
  readonly far: FarHost;
  readonly host: Guest;
  readonly bobId: string;
  /** By message: each once, as it was last seen. */
  readonly forHost: Box;
  readonly forBob: Box;
  /** Whether the HOST decides something just now. */
  readonly isDeciding: () => boolean;
  readonly dismissAll: () => Promise<void>;
};

type PeoplePowers = {
  readonly far: FarHost;
  /** Whether the HOST grants what this sender proposes; undefined: he leaves it. */
  readonly grants: (from: string) => boolean | undefined;
  readonly onNews: () => void;
};

const follow = async (
  port: Guest,
  onMail: (mail: Mail) => void,
): Promise<void> => {
  const following = port.followMessages();
  for (;;) {
    const { done, value } = await following.next();
    if (done === true) return;
    onMail(value);
  }
};

/** As of now: after the daemon was killed they come anew. */
export const meetPeople = async ({
  far,
  grants,
  onNews,
}: PeoplePowers): Promise<ChaosPeople> => {
  const host = makeGenerationAGuest(far);
  const bob = (await E(far).provideGuest('bob', {
    agentName: 'profile-for-bob',
  })) as FarGuest;
  const bobId = (await host.identify(['bob'])) ?? '';
  const forHost = new Map<string, Mail>();
  const forBob = new Map<string, Mail>();
  let deciding = 0;

  const decide = async ({ number, from }: Mail): Promise<void> => {
    const isGranted = grants(from);
    if (isGranted === undefined) return;
    deciding += 1;
    try {
      if (isGranted) await E(far).grantEvaluate(number);
      else await E(far).reject(number, 'not today');
    } catch {
      // The daemon was killed: what came of it is told when it is back.
    } finally {
      deciding -= 1;
      onNews();
    }
  };

  const ends = [
    follow(host, (mail) => {
      forHost.set(mail.messageId, mail);
      if (mail.type === 'review' && mail.state === 'open') void decide(mail);
      onNews();
    }),
    follow(makeGenerationAGuest(bob), (mail) => {
      forBob.set(mail.messageId, mail);
    }),
  ];
  for (const end of ends) {
    end.catch(() => {
      // The daemon was killed, or stopped.
    });
  }

  return {
    ...{ far, host, bobId, forHost, forBob },
    isDeciding: () => deciding > 0,
    dismissAll: async () => {
      await Promise.all([E(far).dismissAll(), E(bob).dismissAll()]);
    },
  };
};
