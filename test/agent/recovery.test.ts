import { expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import { entryName, nodeName } from '../../src/transcript/names.ts';
import { type AgentWorld, makeAgentWorld } from '../support/agent-world.ts';
import {
  answer,
  call,
  hang,
  makeScriptedModel,
  type ScriptedModel,
} from '../support/scripted-model.ts';
import { sendValue } from './acquaintance.ts';

const idle = makeScriptedModel([]).model;

const restart = (
  { agent, startSecond }: AgentWorld,
  { model }: ScriptedModel,
) => {
  agent.stop('the test restarts it');
  return startSecond(model);
};

/** An agent that is cut off in the second model call of its turn. */
const cutOff = async () => {
  const script = makeScriptedModel([
    call('store', { petName: 'one', value: 1 }),
    hang(),
  ]);
  const world = await makeAgentWorld({ model: script.model });
  const question = await world.host.send('hob', 'Store it');
  await script.nextRequest();
  await script.nextRequest();
  const port = makeGenerationAGuest(world.hob.powers);
  return { world, question, port };
};

it('goes on with a turn where it was cut off, and asks for no answer again', async () => {
  const { world, question } = await cutOff();
  const second = makeScriptedModel([answer('Stored.')]);
  const again = await restart(world, second);
  expect(await world.host.receiveText()).toBe('Stored.');
  expect(await again.whenSettled(question.messageId)).toBe('answered');
  expect(second.requests[0]?.messages).toHaveLength(4);
  second.assertDone();
});

it('keeps what it did for a message that somebody has put away meanwhile', async () => {
  const { world, question, port } = await cutOff();
  world.agent.stop('down');
  await port.dismiss(question.number);
  await world.startSecond(idle);
  const names = await port.list([]);
  expect(names).toContain(nodeName(question.messageId));
  expect(names).not.toContain(entryName(question.messageId, 0));
  expect(await port.lookup([nodeName(question.messageId)])).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant' },
      { role: 'tool', isError: false },
    ],
  });
});

it('says so when what it did cannot be read any more', async () => {
  const { world, question, port } = await cutOff();
  world.agent.stop('down');
  await port.storeValue(harden({ version: 9 }), [
    entryName(question.messageId, 0),
  ]);
  await world.startSecond(idle);
  expect(await world.host.receiveText()).toContain('cannot be read any more');
  expect(world.events).toContainEqual(
    expect.objectContaining({ during: 'reading the journal of a turn' }),
  );
});

it('knows a whole conversation after a restart, with nothing left in the inbox', async () => {
  const first = makeScriptedModel([answer('Hello Ada.'), answer('Yes.')]);
  const world = await makeAgentWorld({ model: first.model });
  const { host, settled } = world;
  await host.send('hob', 'My name is Ada');
  const hello = await host.receive();
  const next = await host.reply(hello, 'Will you keep it?');
  const yes = await host.receive();
  await settled(next.messageId);
  const second = makeScriptedModel([answer('Ada.')]);
  await restart(world, second);
  await host.reply(yes, 'What is it?');
  const last = await host.receive();
  expect(last).toMatchObject({ strings: ['[depth:6] Ada.'] });
  const said = second.requests[0]?.messages.map(({ content }) => content);
  expect(said?.slice(1).join('\n')).toMatch(
    /My name is Ada[^]*Hello Ada\.[^]*Will you keep it\?[^]*Yes\.[^]*What is it\?/u,
  );
});

it('tells the sender when a part of a conversation is gone, and answers others', async () => {
  const first = makeScriptedModel([answer('Hello Ada.')]);
  const world = await makeAgentWorld({ model: first.model });
  const { host, settled, hob } = world;
  const question = await host.send('hob', 'My name is Ada');
  const hello = await host.receive();
  await settled(question.messageId);
  await makeGenerationAGuest(hob.powers).remove([nodeName(question.messageId)]);
  const second = makeScriptedModel([answer('Here.')]);
  await restart(world, second);
  await host.reply(hello, 'What is it?');
  expect(await host.receiveText()).toContain('an earlier part of it');
  await host.send('hob', 'Are you there?');
  expect(await host.receiveText()).toBe('Here.');
});

it('answers nothing again that an earlier version has marked as answered', async () => {
  const world = await makeAgentWorld({ model: idle });
  const { host, agent, hob } = world;
  agent.stop('down');
  const kept = await sendValue(host, {
    text: 'A ',
    edgeName: 'gift',
    value: 42,
  });
  const port = makeGenerationAGuest(hob.powers);
  const marks = [kept.messageId, '0'.repeat(64)].map(
    (messageId) => `hob-settled-${messageId}`,
  );
  for (const mark of marks) await port.storeValue(1, [mark]);
  const again = await world.startSecond(idle);
  expect(await again.whenSettled(kept.messageId)).toBe('answered');
  const names = await port.list([]);
  expect(names.filter((name) => name.startsWith('hob-settled-'))).toEqual([]);
  expect(names).toContain(nodeName(kept.messageId));
  expect(await port.listMessages()).toHaveLength(1);
});

it('writes no more for a turn late in a long conversation than for one at its beginning', async () => {
  const script = makeScriptedModel(
    Array.from({ length: 12 }, () => answer('Go on.')),
  );
  const { host, hob, settled } = await makeAgentWorld({ model: script.model });
  const port = makeGenerationAGuest(hob.powers);
  const sizes: number[] = [];
  let message = await host.send('hob', 'Begin');
  for (let turn = 0; turn < 12; turn += 1) {
    const reply = await host.receive();
    await settled(message.messageId);
    const node = await port.lookup([nodeName(message.messageId)]);
    sizes.push(
      JSON.stringify(node, (_key, value: unknown) =>
        typeof value === 'bigint' ? 'n' : value,
      ).length,
    );
    if (turn < 11) message = await host.reply(reply, 'More');
  }
  const [, second = 0, ...later] = sizes;
  for (const size of later) expect(size - second).toBeLessThan(10);
});

it('tells the sender when a part of a conversation cannot be read, and answers others', async () => {
  const first = makeScriptedModel([answer('Hello Ada.')]);
  const world = await makeAgentWorld({ model: first.model });
  const { host, settled, hob } = world;
  const question = await host.send('hob', 'My name is Ada');
  const hello = await host.receive();
  await settled(question.messageId);
  for (const damaged of [question, hello]) {
    await makeGenerationAGuest(hob.powers).storeValue(
      harden({ version: 9, ...damaged }),
      [nodeName(damaged.messageId)],
    );
  }
  const second = makeScriptedModel([answer('Here.')]);
  await restart(world, second);
  await host.reply(hello, 'What is it?');
  expect(await host.receiveText()).toContain('an earlier part of it');
  await host.send('hob', 'Are you there?');
  expect(await host.receiveText()).toBe('Here.');
});

it('starts although a record of its own mail cannot be read', async () => {
  const world = await makeAgentWorld({ model: idle });
  world.agent.stop('down');
  const port = makeGenerationAGuest(world.hob.powers);
  await port.send(['HOST'], {
    ...{ strings: ['Hello'], edgeNames: [], petNames: [] },
  });
  const own = (await port.listMessages()).at(-1);
  await port.storeValue(harden({ version: 9 }), [
    nodeName(own?.messageId ?? ''),
  ]);
  await world.startSecond(makeScriptedModel([answer('Here.')]).model);
  await world.host.receive();
  await world.host.send('hob', 'Are you there?');
  expect(await world.host.receiveText()).toBe('Here.');
});

it('starts although an entry of a settled turn is removed by another meanwhile', async () => {
  const first = makeScriptedModel([answer('Hello.')]);
  const world = await makeAgentWorld({ model: first.model });
  const { host, settled, hob, agent } = world;
  const question = await host.send('hob', 'Hello');
  await host.receive();
  await settled(question.messageId);
  agent.stop('down');
  await makeGenerationAGuest(hob.powers).storeValue(
    harden({ version: 1, records: [] }),
    [entryName(question.messageId, 0)],
  );
  hob.control.failNext('remove');
  await world.startSecond(makeScriptedModel([answer('Here.')]).model);
  await host.send('hob', 'Are you there?');
  expect(await host.receiveText()).toBe('Here.');
});
