import { E } from '@endo/far';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Mail } from '../../src/endo/guest.ts';
import { nodeName } from '../../src/transcript/names.ts';
import { type Person, makePerson, textOf } from '../support/person.ts';
import { conversationOf, repeatTo } from '../support/repeating-model.ts';
import { type System, startSystem } from '../support/system.ts';

let system: System;
beforeAll(async () => {
  system = await startSystem(repeatTo());
});
afterAll(() => system.stop());

type Running = {
  readonly status: () => Promise<{ readonly openTurns: bigint }>;
};

const untilIdle = async (host: object): Promise<void> => {
  const controller = await E(
    host as { lookup: (name: string) => Promise<Running> },
  ).lookup('controller-for-hob');
  while ((await E(controller).status()).openTurns > 0n);
};

/** The HOST, and the agent's guest, after the daemon was killed. */
const killAndRestart = async () => {
  const { daemon } = system;
  await daemon.kill9();
  await daemon.restart();
  const { host } = await daemon.client();
  const hob = makeGenerationAGuest(await E(host).lookup('profile-for-hob'));
  return { host, hob, person: await makePerson(host) };
};

const answerTo = async (
  { receive }: Person,
  { messageId }: Mail,
): Promise<Mail> => {
  for (;;) {
    const mail = await receive();
    if (mail.replyTo === messageId) return mail;
  }
};

/** Each word a reply to the answer before; the questions, and the last answer. */
const converse = async (person: Person, words: readonly string[]) => {
  const questions: Mail[] = [];
  let last: Mail | undefined;
  for (const word of words) {
    const question = await (last === undefined
      ? person.send('hob', word)
      : person.reply(last, word));
    last = await answerTo(person, question);
    questions.push(question);
  }
  if (last === undefined) throw Error('Nothing was said');
  return { questions, last };
};

const lastRequest = (): string => {
  const { body } = system.server.requests.at(-1) ?? {};
  return body === undefined ? '' : conversationOf(body);
};

it('goes on with the whole conversation when all of its mail was dismissed, after a restart as well', async () => {
  const { person, host, hob } = await killAndRestart();
  const { last } = await converse(person, ['apple', 'banana', 'cherry']);
  await untilIdle(host);
  expect(await hob.listMessages()).toEqual([]);
  for (const { number, messageId } of await person.port.listMessages())
    if (messageId !== last.messageId) await person.port.dismiss(number);
  const again = await killAndRestart();
  const [only, ...more] = await again.person.port.listMessages();
  if (only === undefined) throw Error('The last answer is gone');
  expect(more).toEqual([]);
  const question = await again.person.reply(only, 'damson');
  const answer = await answerTo(again.person, question);
  expect(textOf(answer)).toBe('Heard: damson');
  expect(answer).toMatchObject({
    strings: [expect.stringMatching(/^\[depth:8\]/u)],
  });
  expect(lastRequest()).toMatch(
    /apple.*Heard: apple.*banana.*Heard: banana.*cherry.*Heard: cherry.*damson/u,
  );
});

it('tells the sender when a part of the conversation is missing, and nothing else breaks', async () => {
  const { person, host, hob } = await killAndRestart();
  const broken = await converse(person, ['elder', 'fig', 'grape']);
  const whole = await converse(person, ['hazel', 'lemon']);
  await untilIdle(host);
  await hob.remove([nodeName(broken.questions[0]?.messageId ?? '')]);
  const again = await killAndRestart();
  const before = system.server.requests.length;
  const answer = await answerTo(
    again.person,
    await again.person.reply(broken.last, 'medlar'),
  );
  expect(textOf(answer)).toContain('an earlier part of it');
  expect(system.server.requests).toHaveLength(before);
  const next = await answerTo(
    again.person,
    await again.person.reply(whole.last, 'nectarine'),
  );
  expect(textOf(next)).toBe('Heard: nectarine');
  expect(lastRequest()).toMatch(/hazel.*lemon.*nectarine/u);
  const fresh = await answerTo(
    again.person,
    await again.person.send('hob', 'olive'),
  );
  expect(textOf(fresh)).toBe('Heard: olive');
});
