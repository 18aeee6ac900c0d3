import { expect, it } from 'vitest';

import { makeAgentWorld } from '../support/agent-world.ts';
import { makePerson } from '../support/person.ts';
import { answer, makeScriptedModel } from '../support/scripted-model.ts';

it('does not answer again, after a restart, what stays in the inbox for its values', async () => {
  const first = makeScriptedModel([answer('Thanks, I leave it there.')]);
  const world = await makeAgentWorld({ model: first.model });
  const { host, hob, agent, startSecond } = world;
  const own = await makePerson(hob.powers);
  await host.port.storeValue(42, ['gift']);
  await host.port.send(['hob'], {
    strings: ['A ', ' for you'],
    edgeNames: ['present'],
    petNames: [['gift']],
  });
  await host.receiveText();
  const kept = await own.receive();
  expect(await agent.whenSettled(kept.messageId)).toBe('answered');
  agent.stop('restart');

  const second = makeScriptedModel([answer('To the next.')]);
  const again = await startSecond(second.model);
  expect(await again.whenSettled(kept.messageId)).toBe('answered');
  await host.send('hob', 'Next');
  expect(await host.receiveText()).toBe('To the next.');
  second.assertDone();
});
