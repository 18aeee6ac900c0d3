import { defineExoClass } from '@endo/exo';
import { M } from '@endo/patterns';
import { makePromiseKit, type PromiseKit } from '@endo/promise-kit';
import type { FormulaId } from '../formula/formula.ts';
import type { NumberedMessage } from '../store/mailboxes.ts';
import type { PostOffice } from './post-office.ts';
import type { Settlements } from './settlements.ts';

/** A stored message as its reader sees it. Shapes: endo-daemons, "Messages". */
export type MessageView = (
  agent: FormulaId,
  message: NumberedMessage,
) => object;

const DismisserI = M.interface('Dismisser', {
  dismiss: M.callWhen().returns(M.undefined()),
});

/** The way out of one message, the same however often the message is read. */
type Dismissal = {
  readonly kit: PromiseKit<undefined>;
  readonly dismisser: object;
};

const makeDismissals = (office: PostOffice) => {
  const dismissals = new Map<string, Dismissal>();
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

  office.onDismissed((handle, number) => {
    const key = keyOf(handle, number);
    dismissals.get(key)?.kit.resolve(undefined);
    dismissals.delete(key);
  });

  return (agent: FormulaId, number: bigint): Dismissal => {
    const key = keyOf(office.handleOf(agent), number);
    const existing = dismissals.get(key);
    if (existing !== undefined) return existing;
    const kit = makePromiseKit<undefined>();
    const dismissal = { kit, dismisser: makeDismisser(agent, number) };
    dismissals.set(key, dismissal);
    return dismissal;
  };
};

export const makeMessageView = (
  office: PostOffice,
  settlements: Settlements,
): MessageView => {
  const dismissalOf = makeDismissals(office);

  const settledOf = async (promise: FormulaId): Promise<string> =>
    (await settlements.outcomeOf(promise)).status;

  return (
    agent,
    { body, type, number, messageId, date, from, to, replyTo },
  ) => {
    const { kit, dismisser } = dismissalOf(agent, number);
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
        ? { settled: settledOf(promiseId) }
        : {}),
      dismissed: kit.promise,
      dismisser,
    });
  };
};
harden(makeMessageView);
