import type { AskedRef, CallFacts, SentRef } from '../transcript/entry.ts';
import type { Ledger } from './ledger.ts';

/** The part of a ledger that tools write in. */
export type NotingLedger = Pick<
  Ledger,
  | 'noteMessage'
  | 'noteDismissWish'
  | 'noteAdopted'
  | 'noteAsked'
  | 'noteDecided'
>;

/** What one call notes: in the turn's ledger at once, and for its journal. */
export type CallNotes = {
  readonly ledger: NotingLedger;
  readonly noteSent: (sent: SentRef) => void;
  readonly facts: () => CallFacts;
};

export const noFacts: CallFacts = harden({
  ...{ sent: [], messaged: [], wishesSilence: false },
  ...{ adopted: [], asked: [], decided: [] },
});
harden(noFacts);

export const makeCallNotes = (ledger: NotingLedger): CallNotes => {
  let facts = noFacts;
  const note = (more: Partial<CallFacts>): void => {
    facts = harden({ ...facts, ...more });
  };
  return harden({
    ledger: {
      noteMessage: (toCorrespondent: boolean) => {
        note({ messaged: [...facts.messaged, toCorrespondent] });
        ledger.noteMessage(toCorrespondent);
      },
      noteDismissWish: () => {
        note({ wishesSilence: true });
        ledger.noteDismissWish();
      },
      noteAdopted: (number: bigint, edgeName: string) => {
        note({ adopted: [...facts.adopted, [number, edgeName]] });
        ledger.noteAdopted(number, edgeName);
      },
      noteAsked: (asked: AskedRef) => {
        note({ asked: [...facts.asked, asked] });
        ledger.noteAsked(asked);
      },
      noteDecided: (number: bigint) => {
        note({ decided: [...facts.decided, number] });
        ledger.noteDecided(number);
      },
    },
    noteSent: ({ messageId, number }: SentRef) =>
      note({ sent: [...facts.sent, { messageId, number }] }),
    facts: () => facts,
  });
};
harden(makeCallNotes);

/** The facts of an earlier incarnation, as if its call had just noted them. */
export const recallFacts = (ledger: NotingLedger, facts: CallFacts): void => {
  for (const toCorrespondent of facts.messaged) {
    ledger.noteMessage(toCorrespondent);
  }
  if (facts.wishesSilence) ledger.noteDismissWish();
  for (const [number, edge] of facts.adopted) ledger.noteAdopted(number, edge);
  for (const asked of facts.asked) ledger.noteAsked(asked);
  for (const number of facts.decided) ledger.noteDecided(number);
};
harden(recallFacts);
