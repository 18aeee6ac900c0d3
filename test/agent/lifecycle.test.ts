import { setImmediate as drained } from 'node:timers/promises';
import { expect, it } from 'vitest';

import { makeLease } from '../../src/agent/lease.ts';
import { makePost, textParcel } from '../../src/agent/post.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';

import { makeAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/config.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import { makeOutbox } from '../../src/endo/outbox.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import { makePerson } from '../support/person.ts';
import {
  answer,
  call,
  hang,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { sendValue } from './acquaintance.ts';

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
  const { powers } = await makeFakeWorld().makeGuest('deaf');
  const guest = await connectGuest(powers);
  const silent = {
    next: () => new Promise<never>(() => undefined),
    close: () => Promise.resolve(),
  };
  const lease = makeLease({
    guest: { ...guest, followNameChanges: () => silent },
    incarnation: 'ours',
    onLost: () => undefined,
  });
  await lease.take();
  const sent: string[] = [];
  const identity = await guest.identity();
  const outbox = makeOutbox({
    guest: {
      ...guest,
      send: (...parcel) => {
        sent.push('sent');
        return guest.send(...parcel);
      },
    },
    identity,
    present: [],
    assertMay: lease.assertHeld,
    startTimer: () => () => undefined,
  });
  const follow = async (): Promise<void> => {
    const messages = guest.followMessages();
    for (;;) {
      const { done, value } = await messages.next();
      if (done === true) return;
      outbox.observe(value);
    }
  };
  void follow();
  const post = makePost({
    guest,
    outbox,
    router: { sent: () => Promise.resolve() },
    self: identity.self,
    onEvent: () => undefined,
  });
  await post.send(['HOST'], textParcel('Still ours.'), undefined);
  expect(sent).toEqual(['sent']);
  await guest.storeValue(harden({ incarnation: 'other' }), ['hob-lease']);
  await expect(
    post.send(['HOST'], textParcel('Too late.'), undefined),
  ).rejects.toThrow('Another incarnation');
  expect(sent).toEqual(['sent']);
});

it('does not answer again, after a restart, a message that stays for its values', async () => {
  const world = await makeAgentWorld({
    model: makeScriptedModel([answer('First.')]).model,
  });
  const { host, startSecond, settled } = world;
  const gift = { text: 'A ', edgeName: 'gift', value: 42 };
  const { messageId } = await sendValue(host, gift);
  expect(await host.receiveText()).toBe('First.');
  await settled(messageId);
  const second = makeScriptedModel([answer('Second.')]);
  await startSecond(second.model);
  await host.send('hob', 'And now?');
  expect(await host.receiveText()).toBe('Second.');
  expect(second.requests).toHaveLength(1);
});

it('says in its announcement whom LAL_OPEN names in vain', async () => {
  const { host } = await makeAgentWorld({
    model: makeScriptedModel([]).model,
    env: { HOB_PROVISION: 'p-1', LAL_OPEN: 'nobody' },
  });
  expect(await host.receiveText()).toContain('LAL_OPEN names nobody:');
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

it('answers mail though it could not announce itself', async () => {
  const world = await makeAgentWorld({
    model: makeScriptedModel([]).model,
    env: { HOB_PROVISION: 'p-1' },
  });
  const { host, hob, events, startSecond } = world;
  await host.receiveText();
  const own = await makePerson(hob.powers);
  await own.port.storeValue('p-0', ['hob-announced']);
  hob.control.failNext('send', Error('no way to the HOST'));
  const second = makeScriptedModel([answer('Here.')]);
  await startSecond(second.model);
  await host.send('hob', 'Are you there?');
  expect(await host.receiveText()).toBe('Here.');
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'trouble', during: 'announcing' }),
  );
});

it('takes no lease when it is stopped before it has begun', async () => {
  const { hob } = await makeAgentWorld({ model: makeScriptedModel([]).model });
  const guest = await connectGuest(hob.powers);
  const before = await guest.lookup(['hob-lease']);
  const agent = makeAgent({
    guest,
    model: makeScriptedModel([]).model,
    config: parseConfig({}),
    now: () => 0,
    startTimer: () => () => undefined,
    makeId: () => 'stopped-at-once',
    onEvent: () => undefined,
  });
  agent.stop('cancelled');
  await agent.started;
  expect(await guest.lookup(['hob-lease'])).toEqual(before);
});

it('sends nothing that was on its way when it is stopped', async () => {
  const script = makeScriptedModel([answer('Late.')]);
  const { host, hob, agent } = await makeAgentWorld({ model: script.model });
  let open: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const looksAtLease = new Promise<void>((resolve) => {
    hob.control.delay = (method) => {
      if (method !== 'lookup') return Promise.resolve();
      resolve();
      return gate;
    };
  });
  await host.send('hob', 'Hello');
  await looksAtLease;
  agent.stop('cancelled');
  open?.();
  // All is microtasks here: what was to come has come.
  await drained();
  expect(hob.control.log).not.toContain('reply');
  const inbox = await host.port.listMessages();
  expect(inbox.every(({ from }) => from === host.id)).toBe(true);
});
