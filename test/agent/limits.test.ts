import { setImmediate as drained } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { ModelError } from '../../src/model/model-error.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import { textOf } from '../support/person.ts';
import {
  type Step,
  after,
  answer,
  call,
  calls,
  expecting,
  fail,
  hang,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { meet } from './acquaintance.ts';

const times = (count: number, step: (index: number) => Step): readonly Step[] =>
  Array.from({ length: count }, (_each, index) => step(index));

it('stops at the step limit, says what was done, and goes on when told to', async () => {
  const script = makeScriptedModel([
    ...times(5, (index) =>
      call('store', { petName: `note-${index}`, value: index }),
    ),
    expecting(({ messages }) => {
      expect(messages.at(-1)?.content).toContain('go on');
      expect(messages.at(-2)?.content).toContain('LAL_MAX_STEPS');
    }, answer('All five are stored.')),
  ]);
  const { host } = await makeAgentWorld({
    model: script.model,
    env: { LAL_MAX_STEPS: '5' },
  });
  await host.send('hob', 'Store many');
  const notice = await host.receive();
  expect(notice).toMatchObject({
    strings: [expect.stringContaining('store ×5')],
  });
  await host.reply(notice, 'go on');
  expect(await host.receiveText()).toBe('All five are stored.');
  script.assertDone();
});

it('stops a model that repeats a call with an unchanged result', async () => {
  const script = makeScriptedModel(times(3, () => call('list', {})));
  const { host } = await makeAgentWorld({ model: script.model });
  await host.send('hob', 'Loop');
  expect(await host.receiveText()).toContain('called list three times');
  script.assertDone();
});

it('does not take a repeated call for a loop while its results change', async () => {
  const script = makeScriptedModel([
    ...times(4, (index) =>
      calls([
        ['list', {}],
        ['store', { petName: `n-${index}`, value: 0 }],
      ]),
    ),
    answer('Listed and stored.'),
  ]);
  const { host } = await makeAgentWorld({ model: script.model });
  await host.send('hob', 'Go');
  expect(await host.receiveText()).toBe('Listed and stored.');
});

it('stops at the token limit of a turn', async () => {
  const script = makeScriptedModel([
    call('list', {}),
    call('has', { petNamePath: ['a'] }),
  ]);
  const { host } = await makeAgentWorld({
    model: script.model,
    env: { LAL_TURN_TOKENS: '30' },
  });
  await host.send('hob', 'Spend');
  expect(await host.receiveText()).toContain('LAL_TURN_TOKENS');
  script.assertDone();
});

it('asks once more when the model ends without an answer, then says so', async () => {
  const script = makeScriptedModel([
    answer(''),
    expecting(
      ({ messages }) =>
        expect(messages.at(-1)?.content).toContain('without an answer'),
      answer('<think>hm</think>'),
    ),
  ]);
  const { host } = await makeAgentWorld({ model: script.model });
  await host.send('hob', 'Speak');
  expect(await host.receiveText()).toContain('without an answer, twice');
  script.assertDone();
});

it('answers a model error in the thread, with cause and remedy', async () => {
  const error = new ModelError('401 Unauthorized', {
    kind: 'auth',
    remedy: 'Check LAL_AUTH_TOKEN.',
  });
  const script = makeScriptedModel([fail(error), answer('Back again.')]);
  const { host, settled } = await makeAgentWorld({ model: script.model });
  const question = await host.send('hob', 'Hello');
  const notice = await host.receive();
  expect(notice.replyTo).toBe(question.messageId);
  expect(notice).toMatchObject({
    strings: [expect.stringMatching(/401 Unauthorized.*Check LAL_AUTH_TOKEN/u)],
  });
  expect(await settled(question.messageId)).toBe('failed');
  await host.reply(notice, 'Again');
  expect(await host.receiveText()).toBe('Back again.');
});

it('answers others while one conversation hangs', async () => {
  const script = makeScriptedModel([hang(), answer('Quick.')]);
  const { host } = await makeAgentWorld({ model: script.model });
  await host.send('hob', 'Slow');
  await script.nextRequest();
  await host.send('hob', 'Fast');
  expect(await host.receiveText()).toBe('Quick.');
});

it('waits for the answer that a reply continues', async () => {
  const script = makeScriptedModel([
    call('reply', { messageNumber: 0, strings: ['Wait.'] }),
    hang(),
    expecting(
      ({ messages }) =>
        expect(JSON.stringify(messages)).toContain('Stopped, as you asked'),
      answer('Second.'),
    ),
  ]);
  const { host, agent, event } = await makeAgentWorld({ model: script.model });
  await host.send('hob', 'Slow');
  const early = await host.receive();
  await host.reply(early, 'And this?');
  await event('tool-ran');
  await script.nextRequest();
  await script.nextRequest();
  expect(script.requests).toHaveLength(2);
  agent.interrupt();
  expect(await host.receiveText()).toContain('Stopped, as you asked');
});

it('ends a tool that hangs at the time limit, and the turn goes on', async () => {
  const script = makeScriptedModel([
    call('list', {}),
    expecting(
      ({ messages }) =>
        expect(messages.at(-1)).toMatchObject({
          isError: true,
          content: expect.stringContaining('no result within 50 ms') as string,
        }),
      answer('It hangs.'),
    ),
  ]);
  const { host, hob, timers } = await makeAgentWorld({
    model: script.model,
    env: { LAL_TOOL_TIMEOUT_MS: '50' },
  });
  const reached = new Promise<void>((resolve) => {
    hob.control.delay = (method) => {
      if (method !== 'list') return Promise.resolve();
      resolve();
      return new Promise(() => undefined);
    };
  });
  await host.send('hob', 'List');
  await reached;
  for (const timer of timers) timer.fire();
  expect(await host.receiveText()).toBe('It hangs.');
  script.assertDone();
});

it('interrupts the HOST’s running turns with an honest notice', async () => {
  const script = makeScriptedModel([
    call('store', { petName: 'one', value: 1 }),
    hang(),
  ]);
  const { host, agent, settled } = await makeAgentWorld({
    model: script.model,
  });
  const { messageId } = await host.send('hob', 'Slow');
  await script.nextRequest();
  await script.nextRequest();
  expect(agent.interrupt()).toBe(1);
  expect(await host.receiveText()).toContain('Done so far: store');
  expect(await settled(messageId)).toBe('answered');
});

it('is honest about a tool that was under way when it was interrupted', async () => {
  const script = makeScriptedModel([
    call('send', { recipientName: 'bob', strings: ['Pay at once.'] }),
  ]);
  const world = await makeAgentWorld({ model: script.model });
  const { host, hob, agent, timers } = world;
  const bob = await meet(world, 'bob');
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const reached = new Promise<void>((resolve) => {
    hob.control.delay = (method) => {
      if (method !== 'send') return Promise.resolve();
      resolve();
      return gate;
    };
  });
  await host.send('hob', 'Tell Bob to pay');
  await reached;
  agent.interrupt();
  // Nothing leaves behind it until its copy is not waited for any more.
  for (const timer of timers) timer.fire();
  const notice = await host.receiveText();
  open?.();
  expect(textOf(await bob.receive())).toBe('Pay at once.');
  expect(notice).toContain('send (outcome unknown)');
  expect(notice).not.toContain('Nothing was changed');
});

it('interrupts the turns of nobody but the HOST', async () => {
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const script = makeScriptedModel([after(gate, answer('For Bob.'))]);
  const world = await makeAgentWorld({ model: script.model });
  const bob = await meet(world, 'bob');
  await bob.send('hob', 'Slow');
  await script.nextRequest();
  expect(world.agent.interrupt()).toBe(0);
  open?.();
  expect(await bob.receiveText()).toBe('For Bob.');
});

it('counts the turns that are open, down to none', async () => {
  const script = makeScriptedModel([hang(), hang()]);
  const { host, agent, settled } = await makeAgentWorld({
    model: script.model,
  });
  expect(agent.status().openTurns).toBe(0);
  const first = await host.send('hob', 'Slow');
  const second = await host.send('hob', 'Slow as well');
  await script.nextRequest();
  await script.nextRequest();
  expect(agent.status().openTurns).toBe(2);
  agent.interrupt();
  await settled(first.messageId);
  await settled(second.messageId);
  expect(agent.status().openTurns).toBe(0);
});

it('reads many names at once without a warning from the platform', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error): void => {
    warnings.push(warning);
  };
  process.on('warning', note);
  try {
    const script = makeScriptedModel([
      calls(
        Array.from({ length: 30 }, (_each, index) => [
          'has',
          { petNamePath: [`n-${index}`] },
        ]),
      ),
      answer('Read.'),
    ]);
    const { host } = await makeAgentWorld({ model: script.model });
    await host.send('hob', 'Read');
    expect(await host.receiveText()).toBe('Read.');
    await drained();
    expect(warnings).toEqual([]);
  } finally {
    process.off('warning', note);
  }
});
