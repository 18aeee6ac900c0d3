/** The turn of eight steps that is killed: with all kinds of effects. */
import type { Reply } from './openai-server.ts';
import type { RequestBody } from './openai-server.ts';

type Call = readonly [name: string, args: object];

const calling = (...calls: readonly Call[]): Reply => ({
  toolCalls: calls.map(([name, args], index) => ({
    id: `call-${index}`,
    name,
    args,
  })),
});

const same: Call = ['send', { recipientName: 'bob', strings: ['Same'] }];

/** @param number - of the HOST's message in the agent's mailbox */
const stepsOf = (number: number): readonly Reply[] => [
  calling(['list', {}], ['lookup', { petNameOrPath: 'note' }]),
  calling(same, same),
  calling(['store', { petName: 'kept', value: 7 }]),
  calling([
    'adopt',
    { messageNumber: number, edgeName: 'gift', petName: 'mine' },
  ]),
  calling(['evaluate', { source: '6 * 7', resultName: 'product' }]),
  calling(['request', { recipientName: 'bob', description: 'a pen' }]),
  calling(['reply', { messageNumber: number, strings: ['Working.'] }]),
  calling(
    ['move', { fromPath: 'here', toPath: 'there' }],
    ['remove', { petNamePath: 'rubbish' }],
  ),
  { text: 'Done.' },
];

/** Answers of the model to all of it: the last one tells the outcome. */
export const STEPS = 10;

/** The step that a request asks for, and the answer to it. */
export const answerStep = ({ messages }: RequestBody) => {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const opening = messages[at]?.content ?? '';
  const step = messages
    .slice(at)
    .filter(({ role }) => role === 'assistant').length;
  if (/^Your proposal #\d+ was /mu.test(opening) && step === 0) {
    const outcome = /was (granted|rejected|lost)/u.exec(opening)?.[1];
    const isLost = opening.includes('the daemon');
    const text = isLost ? 'It was lost.' : `It was ${outcome ?? 'odd'}.`;
    return { step: STEPS - 1, reply: { text } };
  }
  const number = Number(/^Message #(\d+) from HOST/mu.exec(opening)?.[1]);
  const reply = opening.includes('Do it all')
    ? stepsOf(number)[step]
    : undefined;
  if (reply === undefined) {
    throw Error(`Unexpected: step ${step} of ${opening}`);
  }
  return { step, reply };
};
