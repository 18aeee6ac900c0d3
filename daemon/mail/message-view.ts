import { defineExoClass } from '@endo/exo';
import { M } from '@endo/patterns';
import type { FormulaId } from '../formula/formula.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';
import type { PostOffice } from './post-office.ts';
import type { Settlements } from './settlements.ts';
import { makeWeakPromises } from './weak-promises.ts';

/** A stored message as its reader sees it. Shapes: endo-daemons, "Messages". */
export type MessageView = (
  agent: FormulaId,
  message: NumberedMessage,
) => object;

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
    dismissed.settle(keyOf(handle, number), undefined),
  );

  return (agent: FormulaId, number: bigint) => {
    const promise = dismissed.provide(keyOf(office.handleOf(agent), number));
    const dismisser = dismissers.get(promise) ?? makeDismisser(agent, number);
    dismissers.set(promise, dismisser);
    return { dismissed: promise, dismisser };
  };
};

export const makeMessageView = (
  office: PostOffice,
  settlements: Settlements,
): MessageView => {
  const dismissalOf = makeDismissals(office);

  return (
    agent,
    { body, type, number, messageId, date, from, to, replyTo },
  ) => {
    const { dismissed, dismisser } = dismissalOf(agent, number);
    const { promiseId } = body;
    return harden({
      type,
      number,
      messageId,
      date,
      from,
      to,
      ...(replyTo === undefined ? {} : { replyTo }),
      ...body,
      ...(typeof promiseId === 'string'
        ? { settled: settlements.statusOf(promiseId) }
        : {}),
      dismissed,
      dismisser,
    });
  };
};
harden(makeMessageView);
