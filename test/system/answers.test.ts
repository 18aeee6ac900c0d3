import { afterAll, beforeAll, expect, it } from 'vitest';

import type { Reply, ServerRequest } from '../support/openai-server.ts';
import { textOf } from '../support/person.ts';
import { type System, startSystem } from '../support/system.ts';

const LONG = 'secret-word '.repeat(100_000);

/** Answers that a daemon would refuse, or would not hand on as they are. */
const answerOddly = ({ body }: ServerRequest): Reply => {
  const asked = body.messages.findLast(({ role }) => role === 'user');
  if (asked?.content?.includes('long') === true) return { text: LONG };
  if (asked?.content?.includes('half') === true) return { text: 'half \ud83d' };
  return { text: 'Fine.' };
};

let system: System;
beforeAll(async () => {
  system = await startSystem(answerOddly);
});
afterAll(() => system.stop());

const repliesTo = async (messageId: string): Promise<number> => {
  const inbox = await system.host.port.listMessages();
  return inbox.filter(({ replyTo }) => replyTo === messageId).length;
};

it('cuts an answer that no daemon would take, says so, and logs none of it', async () => {
  const { host, daemon, settled } = system;
  const { messageId } = await host.send('hob', 'A long one');
  const reply = await host.receive();
  expect(await settled(messageId)).toBe('answered');
  expect(textOf(reply)).toMatch(/^secret-word secret-word/u);
  expect(textOf(reply).length).toBeLessThan(300_000);
  expect(textOf(reply)).not.toBe(LONG);
  await host.reply(reply, 'Go on');
  expect(await host.receiveText()).toBe('Fine.');
  expect(await repliesTo(messageId)).toBe(1);
  expect(daemon.log()).not.toContain('secret-word');
});

it('goes on after an answer with half of a character in it', async () => {
  const { host, hob, server, settled } = system;
  const { messageId } = await host.send('hob', 'By half');
  const reply = await host.receive();
  expect(textOf(reply)).toMatch(/^half /u);
  expect(await settled(messageId)).toBe('answered');
  const last = await host.reply(reply, 'Go on');
  expect(await host.receiveText()).toBe('Fine.');
  // System prompt, question, answer, this message: it is one conversation.
  expect(server.requests.at(-1)?.body.messages).toHaveLength(4);
  await settled(last.messageId);
  while ((await hob.listMessages()).length > 0) await hob.has(['x']);
  expect(await hob.listMessages()).toEqual([]);
});
