import { E } from '@endo/far';
import { isOpen } from '../decisions.ts';
import type { RemoteAgent, WireMessage } from '../remote.ts';

type TrackedDecision = {
  readonly message: WireMessage;
  /** It lay in the inbox before the start. */
  readonly isEarlier: boolean;
  readonly open: boolean;
};

/** Which decisions are open, without reading the mailbox again. */
export type TrackedDecisions = {
  readonly track: (message: WireMessage, isEarlier: boolean) => void;
  readonly open: () => Promise<readonly TrackedDecision[]>;
};

export const makeTrackedDecisions = (agent: RemoteAgent): TrackedDecisions => {
  const decisions = new Map<bigint, TrackedDecision>();
  return harden({
    track: (message: WireMessage, isEarlier: boolean) => {
      const entry = { message, isEarlier, open: isOpen(message) };
      decisions.set(message.number, entry);
      const decided = (): void => {
        entry.open = false;
      };
      // A decision that was dismissed needs none any more.
      for (const end of [message['settled'], message['dismissed']]) {
        if (end instanceof Promise) end.then(decided, () => undefined);
      }
    },
    open: async () => {
      // One round trip later, what was settled before has been told.
      await E(agent).has('SELF');
      return [...decisions.values()].filter(({ open }) => open);
    },
  });
};
harden(makeTrackedDecisions);
