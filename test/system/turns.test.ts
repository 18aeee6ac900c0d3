import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Reply, ServerRequest } from '../support/openai-server.ts';
import { textOf } from '../support/person.ts';
import { type System, startSystem } from '../support/system.ts';

/** What the last message from a person says, and what came after it. */
const taskOf = ({ body }: ServerRequest) => {
  const { messages } = body;
  const at = messages.findLastIndex(({ role }) => role === 'user');
  const [, text = '""'] = (messages[at]?.content ?? '').split(':\n');
  return {
    text: JSON.parse(text) as string,
    number: Number(/#(\d+)/u.exec(messages[at]?.content ?? '')?.[1]),
    step: messages.slice(at + 1).filter(({ role }) => role === 'assistant')
      .length,
    results: messages.slice(at + 1).filter(({ role }) => role === 'tool'),
  };
};

const leading = [
  '- item',
  '# Title',
  '*bold* text',
  '(aside)',
  '"quoted"',
  '$5 for tea',
  '+1 from me',
  '-5 degrees',
  '!important',
  '%d percent',
  "'single'",
  '&amp',
  ', then',
];

const call = (name: string, args: unknown): Reply => ({
  toolCalls: [{ name, args }],
});

/** The model of these tests: it does what it is told, by the first word. */
const answerTask = (request: ServerRequest): Reply => {
  const { text, number, step, results } = taskOf(request);
  const [verb = '', ...rest] = text.split(' ');
  const words = rest.join(' ');
  switch (verb) {
    case 'prose':
      return { text: words };
    case 'by-reply':
      return step === 0
        ? call('reply', { messageNumber: number, strings: [words] })
        : {};
    case 'working':
      if (step === 0) {
        return call('reply', {
          messageNumber: number,
          strings: ['Working on it.'],
        });
      }
      if (step === 1) {
        return {
          toolCalls: [
            { name: 'list' },
            { name: 'has', args: { petNamePath: 'x' } },
            { name: 'listMessages' },
          ],
        };
      }
      return { text: `Done after ${results.length} results.` };
    case 'keep':
      return step === 0
        ? call('store', { petName: 'kept', value: words })
        : { text: `Stored: ${results[0]?.content ?? 'nothing'}` };
    case 'texted':
      return step === 0
        ? {
            text: '<think>call it</think><tool_call>{"name":"store","arguments":{"petName":"texted","value":"a </tool_call> inside"}}',
          }
        : { text: 'Stored as told.' };
    default:
      return { text: 'What?' };
  }
};

let system: System;
beforeAll(async () => {
  system = await startSystem(answerTask);
});
afterAll(() => system.stop());

describe('an agent in its worker, on its daemon, with a model over the wire', () => {
  it('answers a plain question with one model call, in the thread, and clears its inbox', async () => {
    const { host, server, hob, settled } = system;
    const before = server.requests.length;
    const question = await host.send('hob', 'prose It is 4.');
    const reply = await host.receive();
    expect(textOf(reply)).toBe('It is 4.');
    expect(reply.replyTo).toBe(question.messageId);
    expect(await settled(question.messageId)).toBe('answered');
    expect(server.requests.length - before).toBe(1);
    while ((await hob.listMessages()).length > 0) await hob.has(['x']);
    expect(await hob.listMessages()).toEqual([]);
  });

  it('takes tools in a turn', async () => {
    const { host, hob } = system;
    await host.send('hob', 'keep a secret number');
    expect(await host.receiveText()).toContain('Stored: ');
    expect(await hob.lookup(['kept'])).toBe('a secret number');
  });

  it('delivers "working on it" and, after three tools, the prose', async () => {
    const { host } = system;
    await host.send('hob', 'working');
    expect(await host.receiveText()).toBe('Working on it.');
    expect(await host.receiveText()).toBe('Done after 4 results.');
  });

  it('runs a tool call that the model wrote as text', async () => {
    const { host, hob } = system;
    await host.send('hob', 'texted');
    expect(await host.receiveText()).toBe('Stored as told.');
    expect(await hob.lookup(['texted'])).toBe('a </tool_call> inside');
  });

  it.each(leading)('delivers %j unchanged, by prose', async (text) => {
    await system.host.send('hob', `prose ${text}`);
    expect(await system.host.receiveText()).toBe(text);
  });

  it.each(leading)('delivers %j unchanged, by the tool', async (text) => {
    const { host, settled } = system;
    const { messageId } = await host.send('hob', `by-reply ${text}`);
    expect(await host.receiveText()).toBe(text);
    expect(await settled(messageId)).toBe('answered');
  });
});
