import { expect, it } from 'vitest';

import { makeAgentWorld } from '../support/agent-world.ts';
import { makePerson } from '../support/person.ts';
import {
  answer,
  call,
  expecting,
  hang,
  makeScriptedModel,
} from '../support/scripted-model.ts';

it('stops in the middle of a model call without a word, and keeps the message', async () => {
  const script = makeScriptedModel([hang()]);
  const { host, hob, agent, event } = await makeAgentWorld({
    model: script.model,
  });
  await host.send('hob', 'Slow');
  const request = await script.nextRequest();
  agent.stop('cancelled');
  await event('stopped');
  expect(request.signal.aborted).toBe(true);
  const own = await makePerson(hob.powers);
  expect(await own.port.listMessages()).toHaveLength(1);
  expect(await host.port.listMessages()).toHaveLength(1);
});

it('stops in the middle of a tool without a word, and keeps the message', async () => {
  const script = makeScriptedModel([call('list', {})]);
  const { host, hob, agent } = await makeAgentWorld({ model: script.model });
  const reached = new Promise<void>((resolve) => {
    hob.control.delay = (method) => {
      if (method !== 'list') return Promise.resolve();
      resolve();
      return new Promise(() => undefined);
    };
  });
  await host.send('hob', 'List');
  await reached;
  agent.stop('cancelled');
  expect(await host.port.listMessages()).toHaveLength(1);
  script.assertDone();
});

it('gives one answer when a second agent takes over the guest', async () => {
  const first = makeScriptedModel([hang()]);
  const second = makeScriptedModel([answer('From the second.')]);
  const world = await makeAgentWorld({ model: first.model });
  const { host, event, startSecond } = world;
  await host.send('hob', 'Who is there?');
  await first.nextRequest();
  await startSecond(second.model);
  expect(await host.receiveText()).toBe('From the second.');
  await event('lease-lost');
  const inbox = await host.port.listMessages();
  expect(inbox.filter(({ from }) => from !== host.id)).toHaveLength(1);
});

it('sends nothing once another incarnation holds the lease, even if it has not heard of it', async () => {
  const world = await makeAgentWorld({
    model: makeScriptedModel([
      expecting(
        () => undefined,
        async () => {
          // The lease changes hands while the model thinks.
          const own = await makePerson(world.hob.powers);
          await own.port.storeValue(harden({ incarnation: 'other' }), [
            'hob-lease',
          ]);
          return answer('Too late.')(
            { messages: [], tools: [], signal: new AbortController().signal },
            0,
          );
        },
      ),
    ]).model,
  });
  await world.host.send('hob', 'Hello');
  await world.event('lease-lost');
  const inbox = await world.host.port.listMessages();
  expect(inbox.every(({ from }) => from === world.host.id)).toBe(true);
});

it('announces itself once for each provisioning', async () => {
  const { host, startSecond, hob } = await makeAgentWorld({
    model: makeScriptedModel([]).model,
    env: { HOB_PROVISION: 'p-1' },
  });
  expect(await host.receiveText()).toBe('hob ready: scripted, scripted');
  await startSecond(makeScriptedModel([]).model);
  const own = await makePerson(hob.powers);
  expect(await own.port.lookup(['hob-announced'])).toBe('p-1');
  expect(await host.port.listMessages()).toHaveLength(1);
});
