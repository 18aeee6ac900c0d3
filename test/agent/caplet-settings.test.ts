import { E, Far } from '@endo/far';
import { expect, it, onTestFinished } from 'vitest';

import { make } from '../../src/caplet.ts';
import type { Env } from '../../src/config.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';
import { startOllamaServer } from '../support/ollama-server.ts';
import { startOpenAiServer } from '../support/openai-server.ts';
import { makePerson } from '../support/person.ts';

/** The caplet on a guest in memory, and its HOST. */
const startCaplet = async (env: Env) => {
  const world = makeFakeWorld();
  const { powers } = await world.makeGuest('hob');
  const host = await makePerson(world.host);
  let cancel: ((reason: Error) => void) | undefined;
  const cancelled = new Promise<never>((_resolve, reject) => {
    cancel = reject;
  });
  onTestFinished(() => cancel?.(Error('the test is over')));
  const context = Far('Context', { whenCancelled: () => cancelled });
  const hob = (await make(powers, context, { env })) as {
    readonly whenReady: () => Promise<void>;
  };
  await E(hob).whenReady();
  return host;
};

it.each([
  ['openai', startOpenAiServer],
  ['ollama', startOllamaServer],
] as const)(
  'a caplet shows a model of %s no more messages than LAL_MAX_MESSAGES',
  async (_provider, start) => {
    const server = await start([{ text: 'one' }, { text: 'two' }]);
    onTestFinished(server.close);
    const host = await startCaplet({
      LAL_HOST: server.url,
      LAL_MAX_MESSAGES: '2',
    });
    await host.send('hob', 'first question');
    const reply = await host.receive();
    await host.reply(reply, 'second question');
    await host.receive();
    const shown = server.requests.map(({ body }) =>
      body.messages.map(({ role }) => role),
    );
    expect(shown).toEqual([
      ['system', 'user'],
      ['system', 'user'],
    ]);
    expect(server.requests[1]?.body.messages[1]?.content).toContain(
      'second question',
    );
  },
);

it('a caplet has an Ollama load its model with LAL_CONTEXT_TOKENS', async () => {
  const server = await startOllamaServer([{ text: 'Here.' }]);
  onTestFinished(server.close);
  const host = await startCaplet({
    LAL_HOST: server.url,
    LAL_CONTEXT_TOKENS: '5000',
  });
  await host.send('hob', 'Are you there?');
  expect(await host.receiveText()).toBe('Here.');
  expect(server.requests[0]?.body.options).toEqual({ num_ctx: 5000 });
});
