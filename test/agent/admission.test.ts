import { expect, it } from 'vitest';

import { type AgentWorld, makeAgentWorld } from '../support/agent-world.ts';
import { textOf } from '../support/person.ts';
import {
  type Step,
  after,
  answer,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { meet } from './acquaintance.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

const answers = (count: number, step: Step): readonly Step[] =>
  Array.from({ length: count }, () => step);

const timersOfDay = ({ timers }: AgentWorld) =>
  [...timers].filter(({ delayMs }) => delayMs === DAY_MS);

it('takes up mail that was held when the next day begins', async () => {
  let today = 0;
  const script = makeScriptedModel([
    answer('First.'),
    answer('Third.', { usage: { input: 1, output: 1 } }),
    answer('Fourth.'),
  ]);
  const world = await makeAgentWorld({
    model: script.model,
    env: { LAL_GUEST_TOKENS: '15' },
    now: () => today,
  });
  const bob = await meet(world, 'bob');
  await bob.send('hob', 'One');
  expect(await bob.receiveText()).toBe('First.');
  await bob.send('hob', 'Two');
  expect(await bob.receiveText()).toContain('LAL_GUEST_TOKENS');
  const third = await bob.send('hob', 'Three');
  expect(await world.settled(third.messageId)).toBe('waiting');
  const fourth = await bob.send('hob', 'Four');
  expect(await world.settled(fourth.messageId)).toBe('waiting');

  expect(timersOfDay(world)).toHaveLength(1);
  today += DAY_MS;
  for (const { fire } of timersOfDay(world)) fire();
  const late = [await bob.receive(), await bob.receive()];
  expect(late.map((mail) => [mail.replyTo, textOf(mail)])).toEqual([
    [third.messageId, 'Third.'],
    [fourth.messageId, 'Fourth.'],
  ]);
  script.assertDone();
});

it('forgets mail that was held when it stops: the inbox keeps it', async () => {
  const script = makeScriptedModel([answer('First.')]);
  const world = await makeAgentWorld({
    model: script.model,
    env: { LAL_GUEST_TOKENS: '15' },
    now: () => 0,
  });
  const bob = await meet(world, 'bob');
  await bob.send('hob', 'One');
  await bob.receive();
  await bob.send('hob', 'Two');
  await bob.receive();
  const { messageId } = await bob.send('hob', 'Three');
  expect(await world.settled(messageId)).toBe('waiting');
  expect(timersOfDay(world)).toHaveLength(1);
  world.agent.stop('cancelled');
  expect(timersOfDay(world)).toHaveLength(0);
});

it('counts a burst against the budget as its answers come, not as it arrives', async () => {
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const script = makeScriptedModel(answers(10, after(gate, answer('Here.'))));
  const world = await makeAgentWorld({
    model: script.model,
    env: { LAL_GUEST_TOKENS: '15' },
  });
  const bob = await meet(world, 'bob');
  const burst: string[] = [];
  for (let count = 0; count < 10; count += 1) {
    burst.push((await bob.send('hob', `Message ${count}`)).messageId);
  }
  // All that may run at a time for others than the HOST.
  for (let count = 0; count < 3; count += 1) await script.nextRequest();
  open?.();
  const outcomes = await Promise.all(burst.map(world.settled));
  expect(script.requests).toHaveLength(3);
  expect(outcomes).toEqual([
    ...Array.from({ length: 3 }, () => 'answered'),
    'failed',
    ...Array.from({ length: 6 }, () => 'waiting'),
  ]);
});

it('lets no two agents that were opened to each other talk on for ever', async () => {
  const script = makeScriptedModel(answers(3, answer('Thanks!')));
  const world = await makeAgentWorld({
    model: makeScriptedModel([]).model,
    env: { LAL_OPEN: 'bob', LAL_MAX_EXCHANGES: '3' },
  });
  const bob = await meet(world, 'bob');
  const agent = await world.startSecond(script.model);
  let last = await bob.send('hob', 'Hello');
  for (let count = 0; count < 3; count += 1) {
    expect(await agent.whenSettled(last.messageId)).toBe('answered');
    last = await bob.reply(await bob.receive(), 'Thanks to you');
  }
  expect(await agent.whenSettled(last.messageId)).toBe('silent');
  expect(await world.host.receiveText()).toContain('LAL_MAX_EXCHANGES');
  script.assertDone();
});

it('counts an answer of which the server does not say what it cost', async () => {
  const free = answer('Here.', { usage: { input: 0, output: 0 } });
  const script = makeScriptedModel([free]);
  const world = await makeAgentWorld({
    model: script.model,
    env: { LAL_GUEST_TOKENS: '10' },
  });
  const bob = await meet(world, 'bob');
  await bob.send('hob', 'A question of a fair number of words');
  expect(await bob.receiveText()).toBe('Here.');
  expect(world.agent.status().usage.input).toBeGreaterThan(10);
  await bob.send('hob', 'And another');
  expect(await bob.receiveText()).toContain('LAL_GUEST_TOKENS');
});

it('does not count what the HOST costs', async () => {
  const script = makeScriptedModel([answer('For you.'), answer('For Bob.')]);
  const world = await makeAgentWorld({
    model: script.model,
    env: { LAL_GUEST_TOKENS: '15' },
  });
  const bob = await meet(world, 'bob');
  await world.host.send('hob', 'Hello');
  await world.host.receiveText();
  expect(world.agent.status().usage).toMatchObject({ input: 10, output: 5 });
  await bob.send('hob', 'Hello');
  expect(await bob.receiveText()).toBe('For Bob.');
});
