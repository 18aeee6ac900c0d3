import { E } from '@endo/far';
import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Mail } from '../../src/endo/guest.ts';
import { textOf } from '../support/person.ts';
import { conversationOf, repeatTo } from '../support/repeating-model.ts';
import { storedNodes } from '../support/stored-nodes.ts';
import { type System, startSystem } from '../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem(repeatTo());
});
afterAll(() => system.stop());

type Granting = {
  readonly grantEvaluate: (number: bigint) => Promise<unknown>;
};

/** The next message to the HOST of this type. */
const receive = async (type: Mail['type']): Promise<Mail> => {
  for (;;) {
    const mail = await system.host.receive();
    if (mail.type === type) return mail;
  }
};

const ask = async (text: string, to?: Mail): Promise<Mail> => {
  const { host, settled } = system;
  const question = await (to === undefined
    ? host.send('hob', text)
    : host.reply(to, text));
  const answer = await receive('package');
  expect(answer.replyTo).toBe(question.messageId);
  await settled(question.messageId);
  return answer;
};

it('tells the model what happened in the order in which it happened, and changes nothing that is settled', async () => {
  const { host, hob, hostPowers, server } = system;
  const question = await host.send('hob', 'propose 6 * 7');
  const proposal = await receive('review');
  const asked = await receive('package');
  expect(asked.replyTo).toBe(question.messageId);
  const first = await ask('the first reply', asked);
  const second = await ask('the second reply', first);
  const before = await storedNodes(hob);

  const powers = hostPowers as unknown as Granting;
  expect(await E(powers).grantEvaluate(proposal.number)).toBe(42);
  const told = await receive('package');
  expect(textOf(told)).toBe('It is decided.');
  expect(told.replyTo).toBe(question.messageId);
  await system.settled(proposal.messageId);
  const inOrder =
    /propose 6.*the first reply.*Heard: the first reply.*the second reply.*Heard: the second reply.*Your proposal #\d+ was granted by HOST. Result: 42/u;
  const last = (): string => {
    const { body } = server.requests.at(-1) ?? {};
    return body === undefined ? '' : conversationOf(body);
  };
  expect(last()).toMatch(inOrder);

  await ask('and now?', told);
  expect(last()).toMatch(inOrder);
  expect(last()).toMatch(/It is decided.*and now/u);
  // From before the decision a branch goes on without it.
  await ask('as if nothing had happened', second);
  expect(last()).toContain('the second reply');
  expect(last()).not.toContain('was granted');

  const after = await storedNodes(hob);
  expect(before.size).toBeGreaterThan(5);
  for (const [messageId, { text }] of before)
    expect(after.get(messageId)?.text).toBe(text);
});
