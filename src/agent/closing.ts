import type { ChatAnswer } from '../model/chat.ts';
import { visibleText } from '../model/text-tool-calls.ts';
import type { Ledger } from './ledger.ts';
import {
  askedNotice,
  cutOffNotice,
  noAnswerNotice,
  refusalNotice,
} from './notice.ts';
import type { TurnEnd } from './turn-plan.ts';

const failure = (text: string): TurnEnd => ({
  type: 'notice',
  text,
  failed: true,
});

/**
 * How a turn ends when the model asks for nothing more. Its prose is the reply,
 * unless the last thing it did was to write to the correspondent.
 *
 * @param besideDismissal - prose of an answer that else only dismissed: some
 *   models say the answer and dismiss the question in one breath
 * @param askedAgain - the model was asked for an answer once already
 */
export const closeTurn = ({
  answer,
  ledger,
  besideDismissal,
  askedAgain,
}: {
  readonly answer: Pick<ChatAnswer, 'message' | 'stop'>;
  readonly ledger: Ledger;
  readonly besideDismissal: string;
  readonly askedAgain: boolean;
}): TurnEnd | 'ask-again' => {
  const text = visibleText(answer.message.content) || besideDismissal;
  const done = ledger.done();
  if (answer.stop === 'length') {
    const cut = cutOffNotice(text, done);
    return { type: 'notice', text: cut, failed: text === '' };
  }
  if (ledger.endedWithMessage()) return { type: 'messaged' };
  if (text !== '') return { type: 'text', text };
  if (ledger.wishesSilence()) return { type: 'silent' };
  if (ledger.messagedCorrespondent()) return { type: 'messaged' };
  const asked = ledger.asked();
  if (asked.length > 0) {
    return { type: 'notice', text: askedNotice(asked), failed: false };
  }
  if (answer.stop === 'refusal') return failure(refusalNotice(done));
  return askedAgain ? failure(noAnswerNotice(done)) : 'ask-again';
};
harden(closeTurn);
