import { describe, expect, it } from 'vitest';

import { withContinuation } from '../../src/model/continuation.ts';
import { ModelError } from '../../src/model/model-error.ts';
import { makeAgentWorld } from '../support/agent-world.ts';
import { makePerson, textOf } from '../support/person.ts';
import {
  type Step,
  answer,
  call,
  calls,
  expecting,
  fail,
  makeScriptedModel,
} from '../support/scripted-model.ts';
import { meet, sendValue } from './acquaintance.ts';

const unauthorized = new ModelError(
  'http://10.0.0.7:8080/v1 answered 401 when asked for secret-model: bad key',
  { kind: 'auth', remedy: 'Set LAL_AUTH_TOKEN for http://10.0.0.7:8080/v1.' },
);

const cut = (text: string): Step => answer(text, { stop: 'length' });

describe('an answer that cannot be sent', () => {
  it('is reported in the thread, which goes on when the report is replied to', async () => {
    const script = makeScriptedModel([
      answer('First.'),
      expecting(({ messages }) => {
        expect(messages).toHaveLength(4);
        expect(messages.at(2)?.content).toContain('I could not finish this');
      }, answer('Second.')),
    ]);
    const { host, hob, settled } = await makeAgentWorld({
      model: script.model,
    });
    hob.control.failNext('reply', Error('the disk is full'));
    const { messageId } = await host.send('hob', 'Hello');
    const notice = await host.receive();
    expect(notice.replyTo).toBe(messageId);
    expect(textOf(notice)).toMatch(
      /the disk is full.*Reply here to try again/u,
    );
    expect(await settled(messageId)).toBe('failed');
    await host.reply(notice, 'Again');
    expect(await host.receiveText()).toBe('Second.');
    script.assertDone();
  });

  it('leaves a thread that goes on from what was said before, too', async () => {
    const script = makeScriptedModel([
      call('reply', { messageNumber: 0, strings: ['Working on it.'] }),
      call('list'),
      (request, index) => {
        world.hob.control.failNext('reply', Error('the disk is full'));
        return answer('Done.')(request, index);
      },
      answer('Second.'),
    ]);
    const world = await makeAgentWorld({ model: script.model });
    const { host } = world;
    await host.send('hob', 'Hello');
    const early = await host.receive();
    expect(await host.receiveText()).toContain('I could not finish this');
    await host.reply(early, 'Again');
    expect(await host.receiveText()).toBe('Second.');
    script.assertDone();
  });

  it('keeps a message whose values are named nowhere', async () => {
    const { model } = makeScriptedModel([answer('First.')]);
    const { host, hob, settled } = await makeAgentWorld({ model });
    hob.control.failNext('reply');
    const { messageId } = await sendValue(host, {
      text: 'A ',
      edgeName: 'gift',
      value: 42,
    });
    expect(await host.receiveText()).toContain('I could not finish this');
    expect(await settled(messageId)).toBe('failed');
    const own = await makePerson(hob.powers);
    expect(await own.port.listMessages()).toMatchObject([{ messageId }]);
  });

  it('is reported to whoever runs the agent, with its cause', async () => {
    const { model } = makeScriptedModel([answer('First.')]);
    const { host, hob, event } = await makeAgentWorld({ model });
    hob.control.failNext('reply', Error('the disk is full'));
    await host.send('hob', 'Hello');
    const { during, cause } = await event('trouble');
    expect(during).toBe('message 0');
    expect(String(cause)).toContain('the disk is full');
  });
});

it('gives one reply, and reports it, when a message that was answered cannot be put away', async () => {
  const { model } = makeScriptedModel([answer('First.')]);
  const { host, hob, settled, event } = await makeAgentWorld({ model });
  hob.control.delay = (method) =>
    method === 'dismiss' ? Promise.reject(Error('busy')) : Promise.resolve();
  const { messageId } = await host.send('hob', 'Hello');
  expect(await settled(messageId)).toBe('answered');
  const inbox = await host.port.listMessages();
  expect(
    inbox.filter(({ from }) => from !== host.id).map((mail) => textOf(mail)),
  ).toEqual(['First.']);
  expect(await event('trouble')).toMatchObject({ during: 'putting mail away' });
});

describe('a model that gives no answer', () => {
  it('is reported to the HOST every time', async () => {
    const { model } = makeScriptedModel([
      fail(unauthorized),
      fail(unauthorized),
    ]);
    const { host } = await makeAgentWorld({ model });
    await host.send('hob', 'Hello');
    const first = await host.receive();
    await host.reply(first, 'Again');
    const second = await host.receive();
    for (const notice of [first, second]) {
      expect(textOf(notice)).toMatch(/secret-model.*LAL_AUTH_TOKEN/u);
    }
  });

  it('is reported to anyone else once a conversation, until a turn succeeds', async () => {
    const script = makeScriptedModel([
      fail(unauthorized),
      fail(unauthorized),
      answer('Back again.'),
      fail(unauthorized),
    ]);
    const world = await makeAgentWorld({ model: script.model });
    const bob = await meet(world, 'bob');
    await bob.send('hob', 'Hello');
    const notice = await bob.receive();
    expect(textOf(notice)).toContain('I cannot answer now');
    const again = await bob.reply(notice, 'Again');
    expect(await world.settled(again.messageId)).toBe('failed');
    await bob.reply(notice, 'And again');
    const back = await bob.receive();
    expect(textOf(back)).toBe('Back again.');
    await bob.reply(back, 'Go on');
    expect(await bob.receiveText()).toContain('I cannot answer now');
    script.assertDone();
  });

  it('tells anyone else nothing of the configuration', async () => {
    const { model } = makeScriptedModel([fail(unauthorized)]);
    const world = await makeAgentWorld({ model });
    const bob = await meet(world, 'bob');
    await bob.send('hob', 'Hello');
    const told = await bob.receiveText();
    expect(told).toContain('I cannot answer now');
    expect(told).not.toMatch(/10\.0\.0\.7|secret-model|LAL_|401/u);
  });

  it('says that it refused, when it did', async () => {
    const { model } = makeScriptedModel([
      call('store', { petName: 'one', value: 1 }),
      answer('', { stop: 'refusal' }),
    ]);
    const { host, settled } = await makeAgentWorld({ model });
    const { messageId } = await host.send('hob', 'Hello');
    expect(await host.receiveText()).toMatch(
      /refused to answer.*Done so far: store/u,
    );
    expect(await settled(messageId)).toBe('failed');
  });
});

it('tells anyone but the HOST nothing of trouble on the daemon', async () => {
  const { model } = makeScriptedModel([answer('First.')]);
  const world = await makeAgentWorld({ model });
  const bob = await meet(world, 'bob');
  world.hob.control.failNext('reply', Error('the disk is full'));
  await bob.send('hob', 'Hello');
  const told = await bob.receiveText();
  expect(told).toContain('I cannot answer now');
  expect(told).not.toContain('disk');
});

describe('an answer that stays cut off', () => {
  it('is delivered as far as it goes, and says so', async () => {
    const script = makeScriptedModel([
      cut('Half of a sen'),
      cut('tence, then ano'),
      cut('ther'),
    ]);
    const { host } = await makeAgentWorld({
      model: withContinuation(script.model),
    });
    await host.send('hob', 'Hello');
    const text = await host.receiveText();
    expect(text).toContain('Half of a sentence, then another');
    expect(text).toMatch(/cut off at the token limit, LAL_MAX_TOKENS/u);
    script.assertDone();
  });

  it('in a tool call is not taken for an answer', async () => {
    const broken = calls(
      [['store', '{"petName":"a","val']],
      'I will store it now.',
      { stop: 'length' },
    );
    const script = makeScriptedModel([broken, broken, broken]);
    const { host } = await makeAgentWorld({
      model: withContinuation(script.model),
    });
    await host.send('hob', 'Hello');
    expect(await host.receiveText()).toContain('LAL_MAX_TOKENS');
    script.assertDone();
  });

  it('before a word was said is a failure that names its limit', async () => {
    const { model } = makeScriptedModel([cut('<think>hm')]);
    const { host, settled } = await makeAgentWorld({ model });
    const { messageId } = await host.send('hob', 'Hello');
    expect(await host.receiveText()).toMatch(
      /cut off at its token limit \(LAL_MAX_TOKENS\)/u,
    );
    expect(await settled(messageId)).toBe('failed');
  });
});
