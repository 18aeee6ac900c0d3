import { E } from '@endo/far';
import { afterEach, expect, it } from 'vitest';

import { type Agent, makeAgent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/events.ts';
import { parseConfig } from '../../src/config.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { type Person, makePerson, textOf } from '../support/person.ts';
import {
  type ScriptedModel,
  answer,
  call,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { deciding, lastOf, receiveProposal } from './deciding.ts';

/** The agent in this process, its guest on a real daemon. */

type Daemon = Awaited<ReturnType<typeof startTestDaemon>>;
type Providing = {
  readonly provideGuest: (
    name: string,
    settings: { readonly agentName: string },
  ) => Promise<unknown>;
};

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

let incarnations = 0;

const startAgent = async (
  daemon: Daemon,
  { model }: ScriptedModel,
  events: AgentEvent[] = [],
): Promise<{ agent: Agent; host: Person; hostPowers: object }> => {
  incarnations += 1;
  const hostPowers = (await daemon.client()).host as object;
  const powers = await E(hostPowers as Providing).provideGuest(
    'hob',
    harden({ agentName: 'hob-agent' }),
  );
  const agent = makeAgent({
    guest: await connectGuest(powers),
    model,
    config: parseConfig({}),
    now: () => 0,
    startTimer: () => () => undefined,
    makeId: () => `incarnation-${incarnations}`,
    onEvent: (event) => {
      events.push(event);
    },
  });
  await agent.started;
  return { agent, host: await makePerson(hostPowers), hostPowers };
};

it('proposes, is countered, accepts, is granted, and leaves no mail behind', async () => {
  const daemon = await startTestDaemon();
  stops.push(() => daemon.stop());
  const script = makeScriptedModel([
    call('evaluate', { source: '6 * 7', purpose: 'multiply' }),
    answer('Proposed.'),
    call('evaluate', { source: '7 * 6', resultName: 'product' }),
    answer('Proposed as you wish.'),
    answer('It is 42.'),
  ]);
  const events: AgentEvent[] = [];
  const { agent, host, hostPowers } = await startAgent(daemon, script, events);
  const question = await host.send('hob', 'Multiply');
  const first = await receiveProposal(host);
  expect(await host.receiveText()).toBe('Proposed.');
  await deciding(hostPowers).counter(first.number, '7 * 6');
  const second = await receiveProposal(host);
  expect(await host.receiveText()).toBe('Proposed as you wish.');
  expect(await deciding(hostPowers).grant(second.number)).toBe(42);
  const told = await host.receive();
  expect([textOf(told), told.replyTo]).toEqual([
    'It is 42.',
    question.messageId,
  ]);
  await agent.whenSettled(second.messageId);
  script.assertDone();
  const counter = (await host.port.listMessages()).find(
    ({ type }) => type === 'proposal',
  );
  expect(counter).toMatchObject({ state: 'rejected' });
  const hob = await connectGuest(
    await E(
      hostPowers as { lookup: (name: string) => Promise<unknown> },
    ).lookup('hob-agent'),
  );
  // What is put away last is put away before the third turn is called over.
  const isOver = ({ type }: AgentEvent): boolean => type === 'turn-settled';
  while (events.filter(isOver).length < 3) await hob.has(['SELF']);
  expect(await hob.listMessages()).toEqual([]);
  expect((await hob.list([])).join()).not.toMatch(/hob-(?:open|settled)/u);
  expect(events.filter(({ type }) => type === 'trouble')).toEqual([]);
});

it('tells what was decided while the agent and the daemon were down', async () => {
  const daemon = await startTestDaemon();
  stops.push(() => daemon.stop());
  const asking = makeScriptedModel([
    call('evaluate', { source: '6 * 7' }),
    call('request', { recipientName: 'HOST', description: 'a pen' }),
    answer('Proposed, and asked.'),
  ]);
  const first = await startAgent(daemon, asking);
  const question = await first.host.send('hob', 'Multiply, and write it down');
  const proposal = await receiveProposal(first.host);
  const request = await first.host.receive();
  await first.host.receiveText();
  await first.agent.whenSettled(question.messageId);
  first.agent.stop('the daemon is stopped');
  await daemon.restart();

  const { host: hostAgain } = await daemon.client();
  const port = (await makePerson(hostAgain)).port;
  await port.reject(request.number, 'there is none');
  const telling = makeScriptedModel([
    answer('First outcome.'),
    answer('Second outcome.'),
  ]);
  const second = await startAgent(daemon, telling);
  while (telling.requests.length < 1) await port.has(['hob']);
  await second.agent.whenSettled(request.messageId);
  expect(lastOf(telling.requests)).toContain('Reason: "there is none"');
  await deciding(second.hostPowers).grant(proposal.number);
  await second.agent.whenSettled(proposal.messageId);
  expect(lastOf(telling.requests)).toContain('Result: 42');
  const answers = (await port.listMessages()).filter(
    ({ replyTo }) => replyTo === question.messageId,
  );
  expect(answers.map(textOf)).toEqual([
    'Proposed, and asked.',
    'First outcome.',
    'Second outcome.',
  ]);
});
