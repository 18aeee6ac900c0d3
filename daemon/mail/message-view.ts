import { defineExoClass } from '@endo/exo';
import { M } from '@endo/patterns';
import type { FormulaId } from '../formula/formula.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';
import type { PromiseStore } from '../store/promises.ts';
import type { ProposalStore } from '../store/proposals.ts';
import type { PostOffice } from './post-office.ts';
import { proposalOf, type ProposalBody } from './proposal-message.ts';
import type { Settlements } from './settlements.ts';
import { makeWeakPromises } from './weak-promises.ts';

/**
 * A stored message as its reader sees it. Shapes: endo-daemons, "Messages"; and
 * of what is asked, how far it is as of the reading (`state`).
 */
export type MessageView = (
  agent: FormulaId,
  message: NumberedMessage,
) => object;

export type MessageViewPowers = {
  readonly office: PostOffice;
  readonly settlements: Settlements;
  readonly promises: PromiseStore;
  readonly proposals: ProposalStore;
  /** An object that the daemon itself is. */
  readonly provideNow: (id: FormulaId) => object;
};

const DismisserI = M.interface('Dismisser', {
  dismiss: M.callWhen().returns(M.undefined()),
});

const makeDismissals = (office: PostOffice) => {
  const dismissed = makeWeakPromises<undefined>();
  // The same however often the message is read, as long as somebody has it.
  const dismissers = new WeakMap<Promise<undefined>, object>();
  const keyOf = (handle: FormulaId, number: bigint): string =>
    `${handle} ${number}`;
  const makeDismisser = defineExoClass(
    'Dismisser',
    DismisserI,
    (agent: FormulaId, number: bigint) => ({ agent, number }),
    {
      dismiss() {
        office.dismiss(this.state.agent, this.state.number);
      },
    },
  );

  office.onDismissed((handle, number) =>
    dismissed.settle(keyOf(handle, number), () => undefined),
  );

  return (agent: FormulaId, number: bigint) => {
    const promise = dismissed.provide(keyOf(office.handleOf(agent), number));
    const dismisser = dismissers.get(promise) ?? makeDismisser(agent, number);
    dismissers.set(promise, dismisser);
    return { dismissed: promise, dismisser };
  };
};

const REQUEST_STATES = harden({
  pending: 'open',
  fulfilled: 'granted',
  rejected: 'rejected',
});

/** The part of a message that is not the same in every one. */
const makeContents = (powers: MessageViewPowers) => {
  const { settlements, promises, proposals, provideNow } = powers;

  const showProposal = (body: ProposalBody, isReviewer: boolean): object => {
    const { resultId, resolverId, workerName, resultName } = body;
    const { source, codeNames, petNamePaths, edgeNames, ids } = body;
    return {
      type: isReviewer ? 'eval-proposal-reviewer' : 'eval-proposal-proposer',
      source,
      codeNames,
      petNamePaths,
      edgeNames,
      ids,
      ...(workerName === undefined ? {} : { workerName }),
      ...(isReviewer || resultName === undefined ? {} : { resultName }),
      ...(isReviewer ? { responder: provideNow(resolverId) } : {}),
      resultId,
      settled: settlements.statusOf(resultId),
      result: settlements.resultOf(resultId),
      ...proposals.get(resultId),
    };
  };

  return (message: NumberedMessage, isRecipient: boolean): object => {
    const { type, body } = message;
    const proposal = proposalOf(message);
    if (proposal !== undefined) return showProposal(proposal, isRecipient);
    const { promiseId, resolverId, ...others } = body;
    if (typeof promiseId !== 'string') return { type, ...body };
    const status = promises.outcome(promiseId)?.status ?? 'rejected';
    return {
      type,
      ...others,
      promiseId,
      // Whoever has it can answer.
      ...(isRecipient ? { resolverId } : {}),
      settled: settlements.statusOf(promiseId),
      state: REQUEST_STATES[status],
    };
  };
};

export const makeMessageView = (powers: MessageViewPowers): MessageView => {
  const { office } = powers;
  const dismissalOf = makeDismissals(office);
  const contentsOf = makeContents(powers);

  return (agent, message) => {
    const { number, messageId, date, from, to, replyTo } = message;
    return harden({
      number,
      messageId,
      date,
      from,
      to,
      ...(replyTo === undefined ? {} : { replyTo }),
      ...contentsOf(message, to === office.handleOf(agent)),
      ...dismissalOf(agent, number),
    });
  };
};
harden(makeMessageView);
