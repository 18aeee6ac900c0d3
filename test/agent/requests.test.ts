import { expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { RequestMail } from '../../src/endo/guest.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import { type Person, textOf } from '../support/person.ts';
import {
  type Step,
  answer,
  call,
  calls,
  expecting,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { introduce, meet } from './acquaintance.ts';
import { lastOf } from './deciding.ts';

const receiveRequest = async ({ receive }: Person): Promise<RequestMail> => {
  const mail = await receive();
  if (mail.type !== 'request') throw Error(`That is no request: ${mail.type}`);
  return mail;
};

it('asks the HOST for a value and goes on when it has come, with other mail meanwhile', async () => {
  const script = makeScriptedModel([
    call('request', { recipientName: 'HOST', description: 'a pen' }),
    expecting(({ messages }) => {
      expect(messages.at(-1)?.content).toBe(
        '{ status: "pending", request: 1n, responseName: "answer-1" }',
      );
    }, answer('I need a pen.')),
    answer('Yes, still waiting.'),
    answer('Now I can write.'),
  ]);
  const { host, hob, agent, settled } = await makeAgentWorld({
    model: script.model,
  });
  const question = await host.send('hob', 'Write it down');
  const asked = await receiveRequest(host);
  expect(asked.description).toBe('a pen');
  expect(await host.receiveText()).toBe('I need a pen.');
  expect(agent.status()).toMatchObject({ openProposals: 0, openRequests: 1 });
  await host.send('hob', 'Waiting?');
  expect(await host.receiveText()).toBe('Yes, still waiting.');
  await host.port.storeValue('a fountain pen', ['pen']);
  await host.port.resolve(asked.number, ['pen']);
  const told = await host.receive();
  expect([textOf(told), told.replyTo]).toEqual([
    'Now I can write.',
    question.messageId,
  ]);
  expect(lastOf(script.requests)).toBe(
    [
      'Your request #1 was granted by HOST. Result: "a fountain pen"',
      'It is named "answer-1".',
      'You asked for: "a pen"',
    ].join('\n'),
  );
  await settled(asked.messageId);
  const port = makeGenerationAGuest(hob.powers);
  expect(await port.lookup(['answer-1'])).toBe('a fountain pen');
  expect(await port.listMessages()).toEqual([]);
});

it('asks another guest, and tells who refused and why', async () => {
  const script = makeScriptedModel([
    call('request', {
      recipientName: 'bob',
      description: 'your key',
      responseName: 'key',
    }),
    answer('I have asked Bob.'),
    answer('Bob keeps it.'),
  ]);
  const agentWorld = await makeAgentWorld({ model: script.model });
  const { host } = agentWorld;
  const bob = await meet(agentWorld, 'bob');
  await host.send('hob', 'Get the key of Bob');
  const asked = await receiveRequest(bob);
  await host.receiveText();
  await bob.port.reject(asked.number, 'never');
  expect(await host.receiveText()).toBe('Bob keeps it.');
  expect(lastOf(script.requests)).toBe(
    'Your request #1 was rejected by "bob". Reason: "never"\nYou asked for: "your key"',
  );
});

it('gives an answer a name that nothing has and nothing will have', async () => {
  const ask = { recipientName: 'HOST', description: 'a pen' };
  const script = makeScriptedModel([
    calls([
      ['request', ask],
      ['request', { ...ask, description: 'ink' }],
      ['request', { ...ask, responseName: 'answer-2' }],
      ['request', { ...ask, responseName: 'taken' }],
      ['evaluate', { source: '1', resultName: 'answer-3' }],
    ]),
    expecting(({ messages }) => {
      const results = messages.slice(-5).map(({ content }) => content);
      expect(results[0]).toContain('responseName: "answer-2"');
      expect(results[1]).toContain('responseName: "answer-3"');
      expect(results[2]).toContain('promised to the outcome');
      expect(results[3]).toContain('"taken" already names something');
      expect(results[4]).toContain('promised to the outcome');
    }, answer('Asked twice.')),
  ]);
  const { host, hob } = await makeAgentWorld({ model: script.model });
  await hob.put('taken', 1);
  await hob.put('answer-1', 1);
  await host.send('hob', 'Ask');
  await receiveRequest(host);
  await receiveRequest(host);
  expect(await host.receiveText()).toBe('Asked twice.');
  script.assertDone();
});

it('answers a request of the HOST with resolve, and puts it away', async () => {
  const script = makeScriptedModel([
    expecting(
      ({ messages }) => {
        expect(messages.at(-1)?.content).toBe(
          'Message #0 from HOST:\nasks for a value: "the total"',
        );
      },
      call('resolve', { messageNumber: 0, petName: 'total' }),
    ),
    answer('There you are.'),
  ]);
  const { host, hob, settled } = await makeAgentWorld({ model: script.model });
  await hob.put('total', 42);
  const got = host.port.request(['hob'], 'the total');
  expect(await got).toBe(42);
  const told = await host.receive();
  expect(textOf(told)).toBe('There you are.');
  await settled(told.replyTo ?? '');
  expect(await makeGenerationAGuest(hob.powers).listMessages()).toEqual([]);
});

it('keeps a request of the HOST that it has not answered, until it does', async () => {
  const script = makeScriptedModel([
    answer('I have no total yet.'),
    calls([
      ['store', { petName: 'total', value: 7 }],
      ['resolve', { messageNumber: 0, petName: 'total' }],
    ]),
    answer('Now I have.'),
  ]);
  const { host, hob, settled } = await makeAgentWorld({ model: script.model });
  const port = makeGenerationAGuest(hob.powers);
  const got = host.port.request(['hob'], 'the total');
  const first = await host.receive();
  await settled(first.replyTo ?? '');
  expect(await port.listMessages()).toMatchObject([{ type: 'request' }]);
  const more = await host.reply(first, 'It is 7.');
  expect(await got).toBe(7);
  await host.receive();
  await settled(more.messageId);
  expect(await port.listMessages()).toEqual([]);
});

it('refuses a request of the HOST with its reason', async () => {
  const script = makeScriptedModel([
    call('reject', { messageNumber: 0, reason: 'I have none' }),
    answer('Sorry.'),
  ]);
  const { host } = await makeAgentWorld({ model: script.model });
  await expect(host.port.request(['hob'], 'the total')).rejects.toThrow(
    'I have none',
  );
  expect(await host.receiveText()).toBe('Sorry.');
});

it('offers a stranger who asks for a value no way to get it', async () => {
  const script = makeScriptedModel([
    expecting(
      ({ tools }) => {
        const names = tools.map((tool) => tool.function.name);
        expect(names).not.toContain('resolve');
      },
      call('resolve', { messageNumber: 0, petName: 'total' }),
    ),
    answer('Ask my host.'),
  ]);
  const agentWorld = await makeAgentWorld({ model: script.model });
  await agentWorld.hob.put('total', 42);
  const bob = await meet(agentWorld, 'bob');
  bob.port.request(['hob'], 'the total').catch(() => undefined);
  expect(await bob.receiveText()).toBe('Ask my host.');
  expect(lastOf(script.requests)).toContain('There is no tool "resolve"');
  expect(agentWorld.hob.control.calls.resolve).toBeUndefined();
});

it('stops asking one who always refuses, until the HOST says so', async () => {
  const askAgain: readonly Step[] = [
    call('request', { recipientName: 'bob', description: 'the key' }),
    answer('I ask Bob.'),
  ];
  const script = makeScriptedModel([
    ...askAgain,
    ...askAgain,
    ...askAgain,
    answer('I leave it at that.'),
  ]);
  const agentWorld = await makeAgentWorld({
    model: script.model,
    env: { LAL_MAX_EXCHANGES: '2' },
  });
  const { host } = agentWorld;
  const bob = await meet(agentWorld, 'bob');
  await host.send('hob', 'Get the key of Bob');
  for (let round = 0; round < 3; round += 1) {
    const asked = await receiveRequest(bob);
    await host.receive();
    await bob.port.reject(asked.number, 'no');
  }
  const stopped = await host.receive();
  expect(textOf(stopped)).toContain('LAL_MAX_EXCHANGES');
  await host.reply(stopped, 'Enough');
  expect(await host.receiveText()).toBe('I leave it at that.');
  script.assertDone();
});

it('asks on behalf of one whom the HOST has opened, and tells him and not the HOST', async () => {
  const script = makeScriptedModel([
    call('evaluate', { source: '6 * 7' }),
    answer('The host will decide.'),
    answer('It is 42.'),
  ]);
  const agentWorld = await makeAgentWorld({
    model: script.model,
    env: { LAL_OPEN: 'bob' },
    introduced: async (world, hob) => {
      const { handleId } = await world.makeGuest('bob');
      await introduce(hob.powers, 'bob', handleId);
    },
  });
  const { host } = agentWorld;
  const bob = await meet(agentWorld, 'bob', { isNamed: false });
  const question = await bob.send('hob', 'Compute');
  const proposal = await host.receive();
  expect(await bob.receiveText()).toBe('The host will decide.');
  await host.port.reject(proposal.number, 'no');
  const told = await bob.receive();
  expect([textOf(told), told.replyTo]).toEqual([
    'It is 42.',
    question.messageId,
  ]);
});
