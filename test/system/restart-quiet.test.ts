import { E } from '@endo/far';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Mail } from '../../src/endo/guest.ts';
import { makePerson } from '../support/person.ts';
import { repeatTo } from '../support/repeating-model.ts';
import { type System, startSystem } from '../support/system.ts';

const MANY = 200;
/** That it may take longer, on a machine with nothing else to do. */
const LONGER_MS = 2000;

let system: System;
beforeAll(async () => {
  system = await startSystem(repeatTo());
});
afterAll(() => system.stop());

type Running = {
  readonly whenReady: () => Promise<void>;
  readonly status: () => Promise<{ readonly openTurns: bigint }>;
};

/** Started anew after a kill; and how long until the agent follows its mail. */
const restart = async () => {
  const { daemon } = system;
  await daemon.kill9();
  const begun = performance.now();
  await daemon.restart();
  const { host } = await daemon.client();
  const controller = (await E(host).lookup('controller-for-hob')) as Running;
  await E(controller).whenReady();
  const ms = performance.now() - begun;
  const hob = makeGenerationAGuest(await E(host).lookup('profile-for-hob'));
  return { ms, person: await makePerson(host), hob, controller };
};

it('calls no model, sends nothing and takes little longer at a restart with 200 messages that are settled and still there', async () => {
  const { server } = system;
  const none = await restart();
  const { person } = none;
  // What brings a value that nobody took stays in the inbox.
  await person.port.storeValue(1, ['gift']);
  const texts = Array.from({ length: MANY }, (_, index) => `Number ${index}`);
  await Promise.all(
    texts.map((text) =>
      person.port.send(['hob'], {
        strings: [text, ''],
        edgeNames: ['gift'],
        petNames: [['gift']],
      }),
    ),
  );
  for (let answers = 0; answers < MANY;) {
    if ((await person.receive()).replyTo !== undefined) answers += 1;
  }

  while ((await E(none.controller).status()).openTurns > 0n);

  const many = await restart();
  expect(await many.hob.listMessages()).toHaveLength(MANY);
  expect(server.requests).toHaveLength(MANY);
  const question = await many.person.send('hob', 'And now?');
  let answer: Mail;
  do answer = await many.person.receive();
  while (answer.replyTo !== question.messageId);
  // What would have been sent or asked at the start has been, by now.
  expect(server.requests).toHaveLength(MANY + 1);
  const mail = await many.person.port.listMessages();
  expect(mail.filter(({ from }) => from !== many.person.id)).toHaveLength(
    MANY + 2,
  );
  expect(many.ms - none.ms).toBeLessThan(LONGER_MS + 2 * none.ms);
});
