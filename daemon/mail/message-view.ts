import { defineExoClass } from '@endo/exo';
import { M } from '@endo/patterns';
import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';
import type { FormulaId } from '../formula/formula.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';
import type { PostOffice } from './post-office.ts';
import type { Settlements } from './settlements.ts';

/** A stored message as its reader sees it. Shapes: endo-daemons, "Messages". */
export type MessageView = (agent: FormulaId, message: NumberedMessage) => object;

const DismisserI = M.interface('Dismisser', {
  dismiss: M.callWhen().returns(M.undefined()),
});

const makeDismissals = (office: PostOffice) => {
  const kits = new Map<string, PromiseKit<undefined>>();
  const keyOf = (handle: FormulaId, number: bigint): string => `${handle} ${number}`;

  office.onDismissed((handle, number) => {
    const key = keyOf(handle, number);
    kits.get(key)?.resolve(undefined);
    kits.delete(key);
  });

  return (handle: FormulaId, number: bigint): Promise<undefined> => {
    const key = keyOf(handle, number);
    const kit = kits.get(key) ?? makePromiseKit<undefined>();
    kits.set(key, kit);
    return kit.promise;
  };
};

export const makeMessageView = (office: PostOffice, settlements: Settlements): MessageView => {
  const dismissalOf = makeDismissals(office);
  const makeDismisser = defineExoClass(
    'Dismisser',
    DismisserI,
    (agent: FormulaId, number: bigint) => ({ agent, number }),
    {
      async dismiss() {
        office.dismiss(this.state.agent, this.state.number);
        return Promise.resolve(undefined);
      },
    },
  );

  const settledOf = async (promise: FormulaId): Promise<string> =>
    (await settlements.outcomeOf(promise)).status;

  return (agent, { body, type, number, messageId, date, from, to, replyTo }) =>
    harden({
      type,
      number,
      messageId,
      date,
      from,
      to,
      ...(replyTo === undefined ? {} : { replyTo }),
      ...body,
      ...(typeof body['promiseId'] === 'string' ? { settled: settledOf(body['promiseId']) } : {}),
      dismissed: dismissalOf(office.handleOf(agent), number),
      dismisser: makeDismisser(agent, number),
    });
};
harden(makeMessageView);
