import { expect, it } from 'vitest';

import { makeAgentWorld } from '../support/agent-world.ts';
import { answer, call, makeScriptedModel } from '../support/scripted-model.ts';
import { meet } from './acquaintance.ts';
import { lastOf } from './deciding.ts';

it('counts the answers of a conversation, whichever of its messages they answer', async () => {
  const script = makeScriptedModel([answer('One.'), answer('Two.')]);
  const world = await makeAgentWorld({
    model: script.model,
    env: { LAL_MAX_EXCHANGES: '2' },
  });
  const bob = await meet(world, 'bob');
  await bob.send('hob', 'Ping');
  const first = await bob.receive();
  await bob.reply(first, 'Ping');
  await bob.receive();
  // On from the same answer, so that this chain is no longer than the last.
  const { messageId } = await bob.reply(first, 'Ping, too');
  expect(await world.settled(messageId)).toBe('silent');
  expect(await world.host.receiveText()).toContain('LAL_MAX_EXCHANGES');
  script.assertDone();
});

it.each([
  ['send', { strings: ['Ping'] }, 'use reply'],
  ['request', { description: 'a pen' }, 'with reply'],
])(
  'has whom the HOST opened answered in the thread, and not by %s',
  async (tool, args, words) => {
    const script = makeScriptedModel([
      call(tool, { recipientName: 'bob', ...args }),
      answer('Pong.'),
    ]);
    const world = await makeAgentWorld({
      model: makeScriptedModel([]).model,
      env: { LAL_OPEN: 'bob' },
    });
    const bob = await meet(world, 'bob');
    // Only now the name is known that the first could not open.
    await world.startSecond(script.model);
    const { messageId } = await bob.send('hob', 'Ping');
    const reply = await bob.receive();
    expect(reply.replyTo).toBe(messageId);
    expect(lastOf(script.requests)).toContain(words);
    expect(await bob.port.listMessages()).toHaveLength(2);
  },
);
