import { E } from '@endo/far';
import { isDecision, isOpen } from './decisions.ts';
import type { RemoteAgent, WireMessage } from './remote.ts';

/** Those of an agent's messages that wait for a decision of its own. */
export const openDecisions = async (
  agent: RemoteAgent,
  messages: readonly WireMessage[],
): Promise<readonly WireMessage[]> => {
  const self = await E(agent).identify('SELF');
  return messages.filter(
    (message) =>
      isDecision(message) && isOpen(message) && message.from !== self,
  );
};
harden(openDecisions);
