import { expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { ChatRequest } from '../../src/model/chat.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import {
  answer,
  call,
  calls,
  expecting,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { makeFakeTool } from '../tool/fake-tools.ts';
import { meet, sendValue } from './acquaintance.ts';

const idle = makeScriptedModel([]).model;

const toolNames = ({ tools }: ChatRequest): readonly string[] =>
  tools.map((tool) => tool.function.name);

it('with fifty adopted tools and nothing changed, a turn asks the daemon nothing about them', async () => {
  const script = makeScriptedModel([answer('One.'), answer('Two.')]);
  const {
    agent: first,
    hob,
    host,
    startSecond,
  } = await makeAgentWorld({
    model: idle,
  });
  first.stop('the test starts another on these tools');
  const guest = makeGenerationAGuest(hob.powers);
  await guest.makeDirectory(['tools']);
  const fakes = Array.from({ length: 50 }, (_, index) =>
    makeFakeTool(`tool${index}`),
  );
  for (const [index, { tool }] of fakes.entries()) {
    await hob.put(['tools', `tool-${index}`], tool);
  }
  const agent = await startSecond(script.model);
  const { messageId } = await host.send('hob', 'first');
  await agent.whenSettled(messageId);
  hob.control.resetCalls();
  await host.send('hob', 'second');
  expect(await host.receiveText()).toBe('One.');
  expect(await host.receiveText()).toBe('Two.');
  while (!hob.control.log.includes('remove')) await host.port.has(['hob']);
  expect([...hob.control.log].sort()).toEqual([
    ...['dismiss', 'dismiss', 'lookup', 'remove', 'reply'],
    ...['storeValue', 'storeValue', 'storeValue'],
  ]);
  const [one, two] = script.requests;
  expect(one?.tools).toHaveLength(71);
  expect(JSON.stringify(two?.tools)).toBe(JSON.stringify(one?.tools));
  for (const fake of fakes) expect(fake.calls.schema).toBe(1);
});

it('adopts a mailed tool, uses it in the same turn, and forgets it when it is removed', async () => {
  const { tool } = makeFakeTool('greet');
  const script = makeScriptedModel([
    expecting(
      (request) => expect(toolNames(request)).not.toContain('greet'),
      call('adoptTool', { messageNumber: 0, edgeName: 'greet-tool' }),
    ),
    expecting(
      (request) => expect(toolNames(request).at(-1)).toBe('greet'),
      call('greet', { say: 'hi' }),
    ),
    call('remove', { petNamePath: 'tools/greet-tool' }),
    expecting(
      (request) => expect(toolNames(request)).not.toContain('greet'),
      answer('Done.'),
    ),
  ]);
  const { host, world } = await makeAgentWorld({ model: script.model });
  await world.hostAgent.put(['greet-tool'], tool);
  await host.port.send(['hob'], {
    strings: ['A tool: ', ''],
    edgeNames: ['greet-tool'],
    petNames: [['greet-tool']],
  });
  expect(await host.receiveText()).toBe('Done.');
  script.assertDone();
  const results = script.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === 'tool');
  expect(results?.[1]?.content).toBe('{ ran: "greet", args: { say: "hi" } }');
});

it('offers adopted tools, and their adoption, to the HOST alone', async () => {
  const script = makeScriptedModel([
    expecting(
      (request) =>
        expect([...toolNames(request)].sort()).toEqual([
          'adopt',
          'help',
          'listMessages',
          'reply',
        ]),
      call('adoptTool', { messageNumber: 0, edgeName: 'gift' }),
    ),
    expecting(
      ({ messages }) =>
        expect(messages.at(-1)?.content).toContain('There is no tool'),
      call('greet', {}),
    ),
    expecting(
      ({ messages }) =>
        expect(messages.at(-1)?.content).toContain('There is no tool'),
      answer('No.'),
    ),
  ]);
  const agentWorld = await makeAgentWorld({ model: script.model });
  const { hob } = agentWorld;
  const guest = makeGenerationAGuest(hob.powers);
  await guest.makeDirectory(['tools']);
  await hob.put(['tools', 'greet'], makeFakeTool('greet').tool);
  const bob = await meet(agentWorld, 'bob');
  await sendValue(bob, { text: 'Take this ', edgeName: 'gift', value: 1 });
  expect(await bob.receiveText()).toBe('No.');
  script.assertDone();
  expect(await guest.list(['tools'])).toEqual(['greet']);
});

it('gives the name of its tools to nothing that came from somebody', async () => {
  const script = makeScriptedModel([
    calls([
      ['adopt', { messageNumber: 0, edgeName: 'gift', petName: 'tools' }],
      ['copy', { fromPath: 'given', toPath: 'tools' }],
      ['move', { fromPath: 'given', toPath: 'tools' }],
      ['store', { petName: 'tools', value: 1 }],
      [
        'request',
        { recipientName: 'HOST', description: 'x', responseName: 'tools' },
      ],
      ['evaluate', { source: '1', resultName: 'tools', replace: true }],
    ]),
    answer('Not so.'),
  ]);
  const agentWorld = await makeAgentWorld({ model: script.model });
  const { hob, host } = agentWorld;
  const guest = makeGenerationAGuest(hob.powers);
  await guest.makeDirectory(['given']);
  await sendValue(host, { text: 'Take this ', edgeName: 'gift', value: 1 });
  expect(await host.receiveText()).toBe('Not so.');
  const results = script.requests[1]?.messages.slice(-6);
  expect(results).toHaveLength(6);
  for (const { content } of results ?? []) {
    expect(content).toContain('"tools" is the directory of your tools');
  }
  expect(await guest.has(['tools'])).toBe(false);
});
