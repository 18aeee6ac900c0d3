import { E } from '@endo/far';
import { beforeAll, describe, expect, it } from 'vitest';

import type { Mail } from '../../src/endo/guest.ts';
import type { ModelReply } from '../support/model-replies.ts';
import { textOf } from '../support/person.ts';
import { startSystem } from '../support/system.ts';
import { wires } from '../support/wires.ts';
import type { NeutralMessage, NeutralRequest } from '../support/wires.ts';

/** What the HOST writes, and what the model answers, call by call. */
const conversation: readonly (readonly [string, readonly ModelReply[]])[] = [
  ['A plain question', [{ thinking: 'hm', text: 'A plain answer.' }]],
  [
    'In a stream of small pieces',
    [{ thinking: 'hm', text: 'Ça va – 👋, in pieces.', pieceBytes: 3 }],
  ],
  [
    'Keep a number',
    [
      {
        text: 'I store it.',
        toolCalls: [
          { name: 'store', args: { petName: 'kept', value: 'forty-two' } },
        ],
        pieceBytes: 5,
      },
      { text: 'It is stored.' },
    ],
  ],
  [
    'Look at three things at once',
    [
      {
        toolCalls: [
          { name: 'lookup', args: { petNameOrPath: 'kept' } },
          { name: 'has', args: { petNamePath: ['kept'] } },
          { name: 'list' },
        ],
      },
      { text: 'All three are there.' },
    ],
  ],
  [
    'Look for what is not there',
    [
      {
        toolCalls: [
          { name: 'lookup', args: { petNameOrPath: 'no-such-name' } },
        ],
      },
      { text: 'There is no such name.' },
    ],
  ],
  [
    'Say something long',
    [
      { text: 'One two three four five six seven, ', cutOff: true },
      { text: 'eight nine ten.' },
    ],
  ],
  [
    'Make a call that is too long',
    [
      {
        text: 'I try.',
        toolCalls: [
          { name: 'store', args: { petName: 'cut', value: 'never' } },
        ],
        cutOff: true,
      },
      { text: 'It was too long.' },
    ],
  ],
  ['Take your time', [{ text: 'This will not be heard', stall: true }]],
  ['Are you still there?', [{ text: 'I am.' }]],
];

const ABORTED = 'Take your time';

type Outcome = {
  readonly asked: readonly NeutralRequest[];
  readonly mail: readonly string[];
  readonly outcomes: readonly string[];
  readonly names: readonly string[];
  /** Whether the aborted answer was let go on to its end. */
  readonly wentOn: boolean | undefined;
};

const converseOn = async (name: keyof typeof wires): Promise<Outcome> => {
  const wire = await wires[name](
    conversation.flatMap(([, replies]) => replies),
  );
  const system = await startSystem([], wire.env);
  try {
    const { host, hob, controller, settled } = system;
    const mail: string[] = [];
    const outcomes: string[] = [];
    let wentOn: boolean | undefined;
    let last: Mail | undefined;
    for (const [text, replies] of conversation) {
      const question =
        last === undefined
          ? await host.send('hob', text)
          : await host.reply(last, text);
      for (let step = 0; step < replies.length; step += 1) {
        const { closed } = await wire.nextRequest();
        if (text !== ABORTED) continue;
        await E(controller).interrupt();
        wentOn = await closed;
      }
      last = await host.receive();
      expect(last.replyTo).toBe(question.messageId);
      mail.push(textOf(last));
      outcomes.push(await settled(question.messageId));
    }
    const names = (await hob.list([])).filter(
      (name) => !name.startsWith('transcript-'),
    );
    return { asked: wire.asked(), mail, outcomes, names, wentOn };
  } finally {
    await system.stop();
    await wire.close();
  }
};

const results = {} as Record<keyof typeof wires, Outcome>;
beforeAll(async () => {
  for (const name of Object.keys(wires) as (keyof typeof wires)[])
    results[name] = await converseOn(name);
}, 180_000);

const lastAsked = ({ asked }: Outcome): readonly NeutralMessage[] =>
  asked.at(-1)?.messages ?? [];

describe('one conversation on the OpenAI wire', () => {
  it('is answered step by step', () => {
    const { mail } = results.openai;
    expect(mail).toEqual([
      'A plain answer.',
      'Ça va – 👋, in pieces.',
      'It is stored.',
      'All three are there.',
      'There is no such name.',
      'One two three four five six seven, eight nine ten.',
      'It was too long.',
      expect.stringMatching(/stopped|interrupted/iu),
      'I am.',
    ]);
  });

  it('runs the calls of a whole answer, in its order, and none that was cut off', () => {
    const transcript = lastAsked(results.openai);
    const called = transcript.flatMap((message) =>
      message.role === 'assistant'
        ? message.calls.map(({ call, name }) => `${call} ${name}`)
        : [],
    );
    expect(called).toEqual([
      '#1 store',
      '#2 lookup',
      '#3 has',
      '#4 list',
      '#5 lookup',
    ]);
    const tools = transcript.filter(({ role }) => role === 'tool');
    expect(tools.map((message) => 'of' in message && message.of)).toEqual([
      '#1',
      '#2',
      '#3',
      '#4',
      '#5',
    ]);
    expect(JSON.stringify(tools.at(-1))).toContain('Error: ');
    expect(results.openai.names).toContain('kept');
    expect(results.openai.names).not.toContain('cut');
  });

  it('hears nothing of what was thought, nor of the answer that was aborted', () => {
    const everything = JSON.stringify(results.openai);
    expect(everything).not.toContain('hm"');
    expect(everything).not.toContain('This will not be heard');
    expect(results.openai.wentOn).toBe(false);
  });
});

describe.each(['anthropic', 'ollama'] as const)(
  'the same conversation on the wire of %s',
  (name) => {
    it('sends the model the same transcript at each step', () => {
      const { asked } = results[name];
      expect(asked.map(({ messages }) => messages)).toEqual(
        results.openai.asked.map(({ messages }) => messages),
      );
      const steps = conversation.flatMap(([, replies]) => replies);
      expect(asked).toHaveLength(steps.length);
    });

    it('offers the model the same tools', () => {
      expect(results[name].asked).toEqual(results.openai.asked);
      expect(results[name].asked[0]?.tools).toContain('lookup');
    });

    it('ends in the same mail, with the same names', () => {
      const { mail, outcomes, names } = results[name];
      expect(mail).toEqual(results.openai.mail);
      expect(outcomes).toEqual(results.openai.outcomes);
      expect(names).toEqual(results.openai.names);
    });

    it('closes the stream that is aborted', () => {
      expect(results[name].wentOn).toBe(false);
    });
  },
);
