import { expect, it } from 'vitest';

import { refuseExcess } from '../../src/agent/call-limits.ts';
import type { ToolCall } from '../../src/model/chat.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import { textOf } from '../support/person.ts';
import {
  answer,
  calls,
  expecting,
  makeScriptedModel,
} from '../support/scripted-model.ts';

const callOf = (index: number, argumentsText = `{"a":${index}}`): ToolCall => ({
  id: `call-${index}`,
  name: 'has',
  argumentsText,
});

const callsOf = (count: number, argumentsText?: string) =>
  Array.from({ length: count }, (_each, index) => callOf(index, argumentsText));

it('runs 32 calls of one answer, and says so of the rest', () => {
  const list = callsOf(34);
  const refused = refuseExcess(list);
  expect([...refused.keys()]).toEqual(list.slice(32));
  expect([...refused.values()][0]).toContain('32 calls');
});

it('runs 2 equal calls of one answer, and says so of the rest', () => {
  const list = callsOf(4, '{}');
  const refused = refuseExcess(list);
  expect([...refused.keys()]).toEqual(list.slice(2));
  expect([...refused.values()][1]).toContain('4 times');
});

it('takes calls for equal by tool and arguments together', () => {
  const list = [
    ...callsOf(2, '{}'),
    callOf(2, '{"a":1}'),
    { id: 'x', name: 'list', argumentsText: '{}' },
  ];
  expect(refuseExcess(list).size).toBe(0);
});

it('sends what an answer repeats fifty times no more than twice', async () => {
  const reply = ['reply', { messageNumber: 0, strings: ['spam'] }] as const;
  const script = makeScriptedModel([
    calls(Array.from({ length: 50 }, () => reply)),
    answer('Over.'),
  ]);
  const { host, settled } = await makeAgentWorld({ model: script.model });
  const { messageId } = await host.send('hob', 'Hello');
  await settled(messageId);
  const inbox = await host.port.listMessages();
  const spam = inbox.filter((mail) => textOf(mail) === 'spam');
  expect(spam).toHaveLength(2);
});

it('gives every call a result, those that were not run as well, in their order', async () => {
  const script = makeScriptedModel([
    calls(
      Array.from({ length: 40 }, (_each, index) => [
        'has',
        { petNamePath: [`n-${index}`] },
      ]),
    ),
    expecting(({ messages }) => {
      const results = messages.filter(({ role }) => role === 'tool');
      expect(results).toHaveLength(40);
      expect(results[31]).toMatchObject({
        callId: 'call-0-31',
        isError: false,
      });
      expect(results[32]).toMatchObject({
        callId: 'call-0-32',
        isError: true,
        content: expect.stringContaining('Not run') as string,
      });
    }, answer('Over.')),
  ]);
  const { host, hob } = await makeAgentWorld({ model: script.model });
  await host.send('hob', 'Hello');
  expect(await host.receiveText()).toBe('Over.');
  expect(hob.control.calls['has']).toBe(32);
  script.assertDone();
});
