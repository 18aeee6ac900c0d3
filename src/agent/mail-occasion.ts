import { messageText } from '../endo/correspondent.ts';
import type { Mail } from '../endo/guest.ts';
import { quoteText } from '../endo/quote.ts';
import { bindingLines } from '../proposal/proposal-text.ts';
import type { Asides } from './asides.ts';
import type { PlanPowers } from './conversation.ts';
import type { OnAgentEvent } from './events.ts';
import type { Occasion } from './occasion.ts';
import { closeCounter, putAway } from './putting-away.ts';
import type { Route } from './router.ts';

/** Characters of an answer that the conversation it concerns is shown. */
const ASIDE_LENGTH = 200;

export type MailOccasionPowers = {
  readonly plan: PlanPowers;
  readonly asides: Asides;
  /** Handle id of the HOST. */
  readonly host: string;
  readonly onEvent: OnAgentEvent;
};

const routeLines = async (
  { plan, asides }: MailOccasionPowers,
  mail: Mail,
  route: Route,
): Promise<readonly string[]> => {
  if (route.type === 'continue') {
    return asides.take(route.walk.nodes.map(({ messageId }) => messageId));
  }
  if (route.type !== 'answer-to-sent') return [];
  const sender = await plan.correspondents.describe(mail.from);
  if (route.turn !== undefined && mail.type === 'package') {
    const line = quoteText(mail.strings.join(' ').slice(0, ASIDE_LENGTH));
    asides.add(
      route.turn.messageId,
      `(${sender} has answered what you sent, in message #${mail.number}, beginning ${line})`,
    );
  }
  return [`(This answers what you wrote to ${sender}: ${route.sent})`];
};

/** What a message is to its turn, wherever it belongs. */
export const occasionOfMail = async (
  powers: MailOccasionPowers,
  mail: Mail,
  route: Route,
): Promise<Occasion> => {
  const { plan, host, onEvent } = powers;
  const { guest, correspondents, decisions } = plan;
  const { messageId, number, from } = mail;
  const sender = await correspondents.describe(from);
  const isFromHost = from === host;
  // Counters to open proposals became outcomes before they came here. This one
  // answers a proposal that is over, and is a message of the HOST like others.
  const values =
    mail.type === 'review' && isFromHost
      ? await bindingLines(mail, plan.namesOf)
      : [];
  return harden({
    nodeId: messageId,
    number,
    correspondent: from,
    text: [messageText(mail, sender), ...values].join('\n'),
    preface: await routeLines(powers, mail, route),
    answering: mail,
    answers: { messageId, number },
    unattended: 'none',
    putAway: (ledger) =>
      mail.type === 'review' && isFromHost
        ? closeCounter({ guest, onEvent }, mail, ledger)
        : putAway({ guest, onEvent }, mail, ledger, decisions.holds(messageId)),
  });
};
harden(occasionOfMail);
