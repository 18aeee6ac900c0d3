import { messageText } from '../endo/correspondent.ts';
import type { AskOutcome, Mail, ProposalMail } from '../endo/guest.ts';
import type { OpenRecord } from '../proposal/open-record.ts';
import {
  counterGoneText,
  counterText,
  outcomeText,
} from '../proposal/outcome-text.ts';
import type { PlanPowers } from './conversation.ts';
import type { Decided } from './decisions.ts';
import type { OnAgentEvent } from './events.ts';
import type { Ledger } from './ledger.ts';
import type { Occasion } from './occasion.ts';
import { closeCounter, release } from './putting-away.ts';
import type { Route } from './router.ts';

export type OutcomeOccasionPowers = {
  readonly plan: PlanPowers;
  /** Handle id of the HOST. */
  readonly host: string;
  readonly onEvent: OnAgentEvent;
};

/** An outcome with what of its mail is still there. */
type Found = {
  readonly record: OpenRecord;
  readonly outcome: AskOutcome;
  readonly counter: Decided['counter'];
  readonly own: Mail | undefined;
  readonly answering: Mail | undefined;
};

const textOf = async (
  { plan }: OutcomeOccasionPowers,
  { record, outcome, counter, own }: Found,
): Promise<string> => {
  if (counter !== undefined) {
    const mine: ProposalMail | undefined =
      own?.type === 'proposal' ? own : undefined;
    return counterText(record, counter, mine, plan.namesOf);
  }
  if (outcome.type === 'countered') return counterGoneText(record);
  const decider = await plan.correspondents.describe(record.decider);
  return outcomeText(record, outcome, decider);
};

/** Of a line whose earlier nodes are not known here any more. */
const forgottenLines = async (
  { plan }: OutcomeOccasionPowers,
  { answering }: Found,
  route: Route,
): Promise<readonly string[]> => {
  if (route.type === 'continue' || answering === undefined) return [];
  const sender = await plan.correspondents.describe(answering.from);
  return [
    `(You asked for it to answer this, which is still without an end. ${messageText(answering, sender)})`,
  ];
};

/**
 * Each step is one that a crash may come before: the record goes when nothing
 * is left but the message that was answered, which is a node.
 */
const putAwayOutcome = async (
  { plan, onEvent }: OutcomeOccasionPowers,
  { record, counter, own, answering }: Found,
  ledger: Ledger,
): Promise<void> => {
  const { guest, decisions } = plan;
  if (counter !== undefined) {
    await closeCounter({ guest, onEvent }, counter, ledger);
  }
  if (own !== undefined) await guest.dismiss(own.number);
  await decisions.told(record.messageId);
  if (answering !== undefined && !decisions.holds(answering.messageId)) {
    await release(guest, answering, ledger);
  }
};

/** What became of something asked, to the turn that tells it. */
export const occasionOfOutcome = async (
  powers: OutcomeOccasionPowers,
  { messageId, outcome, counter }: Decided,
  record: OpenRecord,
  route: Route,
): Promise<Occasion> => {
  const { plan, host, onEvent } = powers;
  const inbox = await plan.guest.listMessages();
  const find = (wanted: string | undefined): Mail | undefined =>
    inbox.find((mail) => mail.messageId === wanted);
  const found: Found = {
    record,
    outcome,
    counter,
    own: find(messageId),
    answering: find(record.answers?.messageId),
  };
  return harden({
    nodeId: messageId,
    number: record.number,
    correspondent: record.correspondent,
    text: await textOf(powers, found),
    preface: await forgottenLines(powers, found, route),
    ...(counter === undefined ? {} : { alias: counter.messageId }),
    answering: found.answering,
    answers: record.answers,
    // What the HOST decides is his word; what others answer is not.
    unattended: record.decider === host ? 'same' : 'one-more',
    putAway: (ledger) =>
      putAwayOutcome(powers, found, ledger).catch((cause: unknown) => {
        onEvent({ type: 'trouble', during: 'putting mail away', cause });
      }),
  });
};
harden(occasionOfOutcome);
