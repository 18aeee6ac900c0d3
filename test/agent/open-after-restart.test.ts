import { expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import { type AgentWorld, makeAgentWorld } from '../support/agent-world.ts';
import { textOf } from '../support/person.ts';
import {
  type ScriptedModel,
  answer,
  call,
  hang,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { deciding, lastOf, receiveProposal } from './deciding.ts';

/** Ends the agent, as a crash would, and starts another on the same guest. */
const restart = (
  { agent, startSecond }: AgentWorld,
  { model }: ScriptedModel,
) => {
  agent.stop('the test restarts it');
  return startSecond(model);
};

/** An agent that has proposed code and said so, in answer to the HOST. */
const propose = async (source = '6 * 7') => {
  const script = makeScriptedModel([
    call('evaluate', { source, resultName: 'product' }),
    answer('Proposed.'),
  ]);
  const agentWorld = await makeAgentWorld({ model: script.model });
  const { host, settled } = agentWorld;
  const question = await host.send('hob', 'What is six times seven?');
  const proposal = await receiveProposal(host);
  await host.receiveText();
  await settled(question.messageId);
  return { agentWorld, host, question, proposal };
};

it('tells the outcome of what was granted while the agent was down', async () => {
  const { agentWorld, host, question, proposal } = await propose();
  agentWorld.agent.stop('down');
  await deciding(agentWorld.world.host).grant(proposal.number);
  const script = makeScriptedModel([answer('It is 42.')]);
  const second = await agentWorld.startSecond(script.model);
  const told = await host.receive();
  expect([textOf(told), told.replyTo]).toEqual([
    'It is 42.',
    question.messageId,
  ]);
  expect(lastOf(script.requests)).toBe(
    [
      'Your proposal #1 was granted by HOST. Result: 42',
      'It is named "product".',
      'You proposed: "6 * 7"',
    ].join('\n'),
  );
  await second.whenSettled(proposal.messageId);
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  expect(await port.listMessages()).toEqual([]);
  expect((await port.list([])).join()).not.toMatch(/hob-(?:open|settled)/u);
});

it('knows what is open after a restart, asks the model nothing, and tells it later', async () => {
  const { agentWorld, host, proposal } = await propose();
  const script = makeScriptedModel([answer('You would not.')]);
  const second = await restart(agentWorld, script);
  expect(second.status()).toMatchObject({ openProposals: 1, openTurns: 0 });
  await host.port.reject(proposal.number, 'too hard');
  expect(await host.receiveText()).toBe('You would not.');
  expect(lastOf(script.requests)).toContain('Reason: "too hard"');
  script.assertDone();
});

it('puts a counter that came while the agent was down to the model', async () => {
  const { agentWorld, host, question, proposal } = await propose();
  agentWorld.agent.stop('down');
  await deciding(agentWorld.world.host).counter(proposal.number, '42');
  const script = makeScriptedModel([answer('That is no computation.')]);
  const second = await agentWorld.startSecond(script.model);
  const told = await host.receive();
  expect([textOf(told), told.replyTo]).toEqual([
    'That is no computation.',
    question.messageId,
  ]);
  await second.whenSettled(proposal.messageId);
  script.assertDone();
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  expect(await port.listMessages()).toEqual([]);
});

it('tells of a counter that is gone that it is gone', async () => {
  const { agentWorld, host, proposal } = await propose();
  agentWorld.agent.stop('down');
  await deciding(agentWorld.world.host).counter(proposal.number, '42');
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  const counter = (await port.listMessages()).find(
    ({ type }) => type === 'review',
  );
  await port.dismiss(counter?.number ?? -1n);
  const script = makeScriptedModel([answer('What did you mean?')]);
  await agentWorld.startSecond(script.model);
  expect(await host.receiveText()).toBe('What did you mean?');
  expect(lastOf(script.requests)).toContain('no longer among your mail');
});

it('tells the HOST of a proposal whose record was lost in a crash', async () => {
  const { agentWorld, host, proposal } = await propose();
  agentWorld.agent.stop('down');
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  await port.remove([`hob-open-${proposal.messageId}`]);
  const script = makeScriptedModel([answer('It is 42, then.')]);
  await agentWorld.startSecond(script.model);
  await deciding(agentWorld.world.host).grant(proposal.number);
  const told = await host.receive();
  expect(textOf(told)).toBe('It is 42, then.');
  expect(told.replyTo).toBeUndefined();
});

it('learns the outcome of a proposal whose own copy was dismissed', async () => {
  const { agentWorld, host, question, proposal } = await propose();
  agentWorld.agent.stop('down');
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  const own = (await port.listMessages()).find(
    ({ messageId }) => messageId === proposal.messageId,
  );
  await port.dismiss(own?.number ?? -1n);
  const script = makeScriptedModel([answer('It is 42.')]);
  await agentWorld.startSecond(script.model);
  await deciding(agentWorld.world.host).grant(proposal.number);
  const told = await host.receive();
  expect([textOf(told), told.replyTo]).toEqual([
    'It is 42.',
    question.messageId,
  ]);
});

it('takes the words of a decision for what they are when the own copy is gone', async () => {
  const { agentWorld, host, proposal } = await propose('null.x');
  agentWorld.agent.stop('down');
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  const own = (await port.listMessages()).find(
    ({ messageId }) => messageId === proposal.messageId,
  );
  await port.dismiss(own?.number ?? -1n);
  const { grant } = deciding(agentWorld.world.host);
  await expect(grant(proposal.number)).rejects.toThrow();
  const script = makeScriptedModel([answer('It failed.')]);
  await agentWorld.startSecond(script.model);
  expect(await host.receiveText()).toBe('It failed.');
  expect(lastOf(script.requests)).toContain(
    'Your proposal #1 was granted by HOST, but the code failed. Error: "Cannot read',
  );
});

it('goes on with a turn that was cut off after it proposed, and does not propose twice', async () => {
  const first = makeScriptedModel([
    call('evaluate', { source: '6 * 7' }),
    hang(),
  ]);
  const agentWorld = await makeAgentWorld({ model: first.model });
  const { host } = agentWorld;
  await host.send('hob', 'Multiply');
  await receiveProposal(host);
  while (first.requests.length < 2) await host.port.has(['hob']);
  const second = makeScriptedModel([answer('I have proposed it already.')]);
  await restart(agentWorld, second);
  expect(await host.receiveText()).toBe('I have proposed it already.');
  expect(lastOf(second.requests)).toBe('{ status: "pending", proposal: 1n }');
  second.assertDone();
});

it('tells an outcome after the turn that asked, which a crash has cut off', async () => {
  const first = makeScriptedModel([
    call('evaluate', { source: '6 * 7' }),
    hang(),
  ]);
  const agentWorld = await makeAgentWorld({ model: first.model });
  const { host, agent, world, startSecond } = agentWorld;
  const question = await host.send('hob', 'Multiply');
  const proposal = await receiveProposal(host);
  while (first.requests.length < 2) await host.port.has(['hob']);
  agent.stop('down');
  await deciding(world.host).grant(proposal.number);
  const script = makeScriptedModel([
    answer('I have proposed it already.'),
    answer('It is 42.'),
  ]);
  const second = await startSecond(script.model);
  const replies = [await host.receive(), await host.receive()];
  expect(replies.map(textOf)).toEqual([
    'I have proposed it already.',
    'It is 42.',
  ]);
  expect(replies.map(({ replyTo }) => replyTo)).toEqual([
    question.messageId,
    question.messageId,
  ]);
  expect(script.requests[1]?.messages).toHaveLength(6);
  await second.whenSettled(proposal.messageId);
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  expect(await port.listMessages()).toEqual([]);
});

it('passes over a record that it cannot read, and says so', async () => {
  const { agentWorld, host, proposal } = await propose();
  agentWorld.agent.stop('down');
  const port = makeGenerationAGuest(agentWorld.hob.powers);
  await port.storeValue(harden({ version: 2 }), [`hob-open-${'0'.repeat(64)}`]);
  const script = makeScriptedModel([answer('It is 42.')]);
  await agentWorld.startSecond(script.model);
  await deciding(agentWorld.world.host).grant(proposal.number);
  expect(await host.receiveText()).toBe('It is 42.');
  expect(agentWorld.events).toContainEqual(
    expect.objectContaining({ during: 'reading what is open' }),
  );
});
