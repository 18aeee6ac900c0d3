import { E } from '@endo/far';
import type { RemoteAgent, WireMessage } from './remote.ts';

const DECISIONS: readonly string[] = harden([
  'request',
  'eval-proposal-reviewer',
  'eval-request',
  'definition',
  'form-request',
  'form',
]);

/** Whether a message is something that its recipient has to decide. */
export const isDecision = ({ type }: WireMessage): boolean =>
  DECISIONS.includes(type);
harden(isDecision);

/** Whether a message proposes code, to its reader or by its reader. */
export const isProposal = ({ type }: WireMessage): boolean =>
  type === 'eval-proposal-reviewer' || type === 'eval-proposal-proposer';
harden(isProposal);

/** How far a decision was when the message was read, if the daemon says so. */
export const stateOf = ({ state }: WireMessage): string | undefined =>
  typeof state === 'string' ? state : undefined;
harden(stateOf);

/** Whether it waits for an answer, as far as one can tell. */
export const isOpen = (message: WireMessage): boolean =>
  (isDecision(message) || isProposal(message)) &&
  (stateOf(message) ?? 'open') === 'open';
harden(isOpen);

/** Whether the reader is the one who decides. */
export const mayDecide = (
  message: WireMessage & { readonly toNames: readonly string[] },
): boolean =>
  isDecision(message) &&
  message.toNames.some((name) => name === 'SELF' || name === '@self');
harden(mayDecide);

/**
 * Messages with the state that their promise tells, where the daemon (Endo's
 * own) does not say it in a word.
 */
export const withStates = async (
  agent: RemoteAgent,
  messages: readonly WireMessage[],
): Promise<readonly WireMessage[]> => {
  const silent = messages.filter(
    (message) =>
      (isDecision(message) || isProposal(message)) &&
      stateOf(message) === undefined &&
      message['settled'] instanceof Promise,
  );
  if (silent.length === 0) return messages;
  const states = new Map<bigint, string>();
  for (const message of silent) {
    // There, only the failure of granted code rejects a proposal.
    const refused = isProposal(message) ? 'failed' : 'rejected';
    (message['settled'] as Promise<unknown>).then(
      (how) =>
        states.set(message.number, how === 'fulfilled' ? 'granted' : refused),
      () => undefined,
    );
  }
  // One round trip later, what was settled before has been told.
  await E(agent).has('SELF');
  return messages.map((message) => {
    const state = states.get(message.number);
    return state === undefined ? message : { ...message, state };
  });
};
harden(withStates);
