import { describe, expect, it } from 'vitest';

import type { AskOutcome, ReviewMail } from '../../src/endo/guest.ts';
import type { OpenRecord } from '../../src/proposal/open-record.ts';
import { counterText, outcomeText } from '../../src/proposal/outcome-text.ts';
import { makePracticeModel } from '../../providers/practice.ts';
import type {
  ChatMessage,
  ChatRequest,
  ToolSchema,
} from '../../src/model/chat.ts';

const offer = (name: string): ToolSchema => ({
  type: 'function',
  function: { name, description: name, parameters: { type: 'object' } },
});

const ALL = ['list', 'store', 'send', 'evaluate', 'request', 'greet'];

const mail = (text: string, number = 9): ChatMessage => ({
  role: 'user',
  content: `Message #${number} from HOST:\n${JSON.stringify(text)}\nIt carries no values.`,
});

const chat = (
  messages: readonly ChatMessage[],
  tools: readonly string[] = ALL,
) => {
  const request: ChatRequest = {
    messages: [{ role: 'system', content: 'You are Hob.' }, ...messages],
    tools: tools.map(offer),
    signal: new AbortController().signal,
  };
  return makePracticeModel().chat(request);
};

const sayTo = async (text: string, tools?: readonly string[]) =>
  (await chat([mail(text)], tools)).message.content;

describe('what the practice model says', () => {
  it.each([
    ['echo - item # one', '- item # one'],
    ['say "hi"', '"hi"'],
    ['echo two\nlines', 'two\nlines'],
    ['what is 2 + 3 * 4?', '2 + 3 * 4 = 14'],
    ['What is (2 + 3) * 4?', '(2 + 3) * 4 = 20'],
    ['2+2', '2+2 = 4'],
    ['2+2=?', '2+2 = 4'],
    ['calculate 1 / 3', '1 / 3 = 1/3'],
    ['what is 0.1 + 0.2?', '0.1 + 0.2 = 0.3'],
    ['what is 7 / 8', '7 / 8 = 0.875'],
    ['what is -3 - -5', '-3 - -5 = 2'],
    ['what is 1 / -4', '1 / -4 = -0.25'],
    ['what is 6 × 7', '6 × 7 = 42'],
    [
      'what is 99999999999999999999 * 99999999999999999999?',
      '99999999999999999999 * 99999999999999999999 = 9999999999999999999800000000000000000001',
    ],
    [
      'what is 1 / 0?',
      'I cannot work that out: nothing can be divided by zero.',
    ],
    ['what is 2 + ?', 'I cannot work that out: the sum ends too early.'],
    ['what is (2 + 3?', 'I cannot work that out: a bracket is not closed.'],
    ['what is 2 2 + 1', 'I cannot work that out: "2" is in the wrong place.'],
    [
      `what is ${'('.repeat(30)}1+1`,
      'I cannot work that out: there are too many brackets in brackets.',
    ],
    [
      `what is ${'1+'.repeat(200)}1`,
      'I cannot work that out: the sum is longer than 200 characters.',
    ],
    ['my name is Ada.', 'Hello, Ada. I will know that in this conversation.'],
    [
      'what is my name?',
      'You have not told me your name in this conversation.',
    ],
    ['hello', 'Hello. Say help to see what I can do.'],
    [
      'use fly {}',
      'I am not offered a tool fly; I have: list, store, send, evaluate, request, greet.',
    ],
    [
      'use greet Ada',
      'The arguments of greet must be a JSON object, such as {"name": "Ada"}.',
    ],
    [
      'why is the sky blue?',
      'I only follow rules, and none of them fits. Say help to see what I can do.',
    ],
  ])('to %j', async (text, expected) => {
    expect(await sayTo(text)).toBe(`practice model: ${expected}`);
  });

  it('to help: what it can do, and the tools that it is offered', async () => {
    const text = await sayTo('help', ['list', 'greet']);
    expect(text).toMatch(/^practice model: /);
    expect(text).toContain('what is 2 + 3 * 4?');
    expect(text).toContain('My tools: list, greet.');
  });

  it('when a tool is not offered: that it is not', async () => {
    for (const text of [
      'list names',
      'store 5 as x',
      'send bob hi',
      'propose 1+1',
      'request a counter',
    ]) {
      expect(await sayTo(text, [])).toMatch(/not offered the tool/);
    }
  });

  it('about a name, from the conversation that it is given', async () => {
    const messages: ChatMessage[] = [
      mail('my name is Ada', 1),
      {
        role: 'assistant',
        content: 'practice model: Hello, Ada.',
        toolCalls: [],
      },
      mail('call me Grace', 2),
      {
        role: 'assistant',
        content: 'practice model: Hello, Grace.',
        toolCalls: [],
      },
      mail('what is my name?', 3),
    ];
    expect((await chat(messages)).message.content).toBe(
      'practice model: Your name is Grace.',
    );
  });

  it('to mail in a form that it does not know', async () => {
    const { message } = await chat([{ role: 'user', content: 'echo plain' }]);
    expect(message.content).toBe('practice model: plain');
    const odd = await chat([
      { role: 'user', content: 'Message #2 from "bob" (reply):\n\necho x' },
    ]);
    expect(odd.message.content).toBe('practice model: x');
    expect((await chat([])).message.content).toMatch(
      /^practice model: I only follow rules/,
    );
  });
});

describe('what the practice model does', () => {
  it.each([
    ['list names', 'list', { petNamePath: [] }],
    ['list', 'list', { petNamePath: [] }],
    ['List your names.', 'list', { petNamePath: [] }],
    ['list tools/old', 'list', { petNamePath: ['tools', 'old'] }],
    ['list names in tools', 'list', { petNamePath: ['tools'] }],
    ['store 5 as lucky-number', 'store', { petName: 'lucky-number', value: 5 }],
    ['store -5 as below', 'store', { petName: 'below', value: -5 }],
    [
      'store {"a":[1]} as dir/thing',
      'store',
      { petName: ['dir', 'thing'], value: { a: [1] } },
    ],
    [
      'store hello there as greeting',
      'store',
      { petName: 'greeting', value: 'hello there' },
    ],
    ['store #1 as tag', 'store', { petName: 'tag', value: '!#1' }],
    [
      'send bob hello there',
      'send',
      {
        recipientName: 'bob',
        strings: ['hello there'],
        edgeNames: [],
        petNames: [],
      },
    ],
    ['use greet {"name": "Ada"}', 'greet', { name: 'Ada' }],
    ['use greet', 'greet', {}],
    [
      'propose 1+1',
      'evaluate',
      {
        source: '1+1',
        codeNames: [],
        petNames: [],
        purpose: 'you asked me to propose this',
      },
    ],
    [
      'propose myCounter + b with notes/my-counter, b',
      'evaluate',
      {
        source: 'myCounter + b',
        codeNames: ['myCounter', 'b'],
        petNames: ['notes/my-counter', 'b'],
        purpose: 'you asked me to propose this',
      },
    ],
    [
      'request a counter',
      'request',
      { recipientName: 'HOST', description: 'a counter' },
    ],
  ])('when told %j', async (text, name, args) => {
    const { message, stop } = await chat([mail(text)]);
    expect(stop).toBe('tools');
    expect(message.toolCalls).toHaveLength(1);
    expect(message.toolCalls[0]?.name).toBe(name);
    expect(JSON.parse(message.toolCalls[0]?.argumentsText ?? '')).toEqual(args);
  });

  it('is told after the tool has answered, well or badly', async () => {
    const asked = mail('list names');
    const { message } = await chat([asked]);
    const callId = message.toolCalls[0]?.id ?? '';
    const result = (content: string, isError: boolean): ChatMessage[] => [
      asked,
      message,
      { role: 'tool', callId, content, isError },
    ];
    const good = await chat(result('["a", "b"]', false));
    expect(good.message.content).toBe(
      'practice model: I called list, and it answered: ["a", "b"]',
    );
    expect(good.stop).toBe('end');
    const bad = await chat(result('no such directory', true));
    expect(bad.message.content).toBe(
      'practice model: list did not work: no such directory',
    );
  });

  it('counts its tokens, the same each time', async () => {
    const first = await chat([mail('echo hi')]);
    expect(first).toEqual(await chat([mail('echo hi')]));
    expect(first.usage.input).toBeGreaterThan(0);
    expect(first.usage.output).toBeGreaterThan(0);
  });

  it('ends when it is aborted', async () => {
    const request = {
      messages: [mail('help')],
      tools: [],
      signal: AbortSignal.abort(),
    };
    await expect(makePracticeModel().chat(request)).rejects.toMatchObject({
      kind: 'cancelled',
    });
  });
});

describe('what the practice model makes of a decision', () => {
  const record: OpenRecord = {
    version: 1,
    kind: 'proposal',
    messageId: '0'.repeat(64),
    number: 4n,
    correspondent: 'host',
    decider: 'host',
    askedBy: null,
    tip: null,
    answers: null,
    asked: '6 * 7',
    resultName: null,
    answerId: null,
  };
  const hear = async (
    outcome: AskOutcome,
    kind: 'proposal' | 'request' = 'proposal',
  ): Promise<string> => {
    const told = outcomeText({ ...record, kind }, outcome, 'HOST');
    const content = `(A line of the agent before it.)\n${told}`;
    return (await chat([{ role: 'user', content }])).message.content;
  };

  it('says the result', async () => {
    expect(await hear({ type: 'granted', value: 42 })).toBe(
      'practice model: My proposal (6 * 7) was granted. The result is 42',
    );
    expect(await hear({ type: 'granted', value: 42 }, 'request')).toContain(
      'My request (6 * 7) was granted.',
    );
  });

  it('says why it was rejected, and what failed', async () => {
    expect(await hear({ type: 'rejected', reason: 'not\ntoday' })).toBe(
      'practice model: My proposal (6 * 7) was rejected: not\ntoday',
    );
    expect(await hear({ type: 'failed', error: 'x is not defined' })).toBe(
      'practice model: My proposal (6 * 7) was granted, but failed: x is not defined',
    );
    expect(await hear({ type: 'lost', reason: 'gone' })).toContain(
      'My proposal (6 * 7) was granted by HOST, but the daemon ended',
    );
  });

  const counterMail = (source: string): ReviewMail => ({
    type: 'review',
    number: 7n,
    messageId: '1'.repeat(64),
    from: 'host',
    to: 'self',
    date: '',
    source,
    codeNames: ['n'],
    petNamePaths: [['n']],
    ids: ['id'],
    edgeNames: ['n'],
  });

  const hearCounter = async (names: readonly string[]) => {
    const content = await counterText(
      record,
      counterMail('n +\n"1"'),
      undefined,
      () => Promise.resolve(names),
    );
    return (await chat([{ role: 'user', content }])).message;
  };

  it('proposes a counter-proposal as it is', async () => {
    const { toolCalls } = await hearCounter(['my-n', 'other']);
    expect(toolCalls[0]?.name).toBe('evaluate');
    expect(JSON.parse(toolCalls[0]?.argumentsText ?? '')).toEqual({
      source: 'n +\n"1"',
      codeNames: ['n'],
      petNames: ['my-n'],
      purpose: 'the code that you proposed',
    });
  });

  it('says which value of a counter-proposal it has no name for', async () => {
    const { content, toolCalls } = await hearCounter([]);
    expect(toolCalls).toEqual([]);
    expect(content).toContain('I have no name for the value n that it uses');
  });
});
