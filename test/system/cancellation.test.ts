import { E } from '@endo/far';
import { afterEach, expect, it } from 'vitest';

import type { Reply } from '../support/openai-server.ts';
import { makePerson, textOf } from '../support/person.ts';
import { caplet, type System, startSystem } from '../support/system.ts';

let system: System | undefined;
afterEach(async () => {
  await system?.stop();
  system = undefined;
});

const controllerName = 'controller-for-hob';

it('stops in the middle of a model call when its controller is cancelled, and answers once it is back', async () => {
  const replies: Reply[] = [{ hang: true }, { text: 'Here I am.' }];
  system = await startSystem((_request, index) => replies[index] ?? {});
  const { host, server, hostPowers, hob } = system;
  const question = await host.send('hob', 'Hello');
  const request = await server.nextRequest();
  await E(hostPowers).cancel(controllerName);
  expect(await request.closed).toBe(false);
  expect(await hob.listMessages()).toHaveLength(1);
  await E(hostPowers).lookup(controllerName);
  const reply = await host.receive();
  expect(reply).toMatchObject({
    replyTo: question.messageId,
    strings: ['[depth:2] Here I am.'],
  });
  expect(server.requests).toHaveLength(2);
});

it('stops in the middle of a tool when its controller is cancelled, and reads again once it is back', async () => {
  const replies: Reply[] = [
    {
      toolCalls: [
        { name: 'inspectCapability', args: { petNameOrPath: 'sleeper' } },
      ],
    },
    { text: 'Awake.' },
  ];
  system = await startSystem((_request, index) => replies[index] ?? {});
  const { host, server, hostPowers, hob } = system;
  await E(hostPowers).evaluate(
    undefined,
    `let wake;
    let calls = 0;
    const called = new Promise((resolve) => { wake = resolve; });
    Far('Sleeper', {
      help: () => {
        wake();
        calls += 1;
        return calls === 1 ? new Promise(() => {}) : 'awake';
      },
      whenCalled: () => called,
    })`,
    [],
    [],
    'sleeper',
  );
  const sleeper = await host.port.identify(['sleeper']);
  const profile = await E(hostPowers).lookup('profile-for-hob');
  await E(
    profile as { write: (name: string, id: string) => Promise<void> },
  ).write('sleeper', sleeper ?? '');
  await host.send('hob', 'Wake it');
  const reached = (await E(hostPowers).lookup('sleeper')) as {
    readonly whenCalled: () => Promise<void>;
  };
  await E(reached).whenCalled();
  await E(hostPowers).cancel(controllerName);
  expect(await hob.listMessages()).toHaveLength(1);
  expect(server.requests).toHaveLength(1);
  await E(hostPowers).lookup(controllerName);
  expect(await host.receiveText()).toBe('Awake.');
});

it('gives one answer with two controllers on one guest', async () => {
  let release: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  system = await startSystem((_request, index) =>
    index === 0 ? { text: 'Too late.', after: gate } : { text: 'Once.' },
  );
  const { host, server, hostPowers } = system;
  await host.send('hob', 'Hello');
  await server.nextRequest();
  await E(hostPowers).makeUnconfined('MAIN', caplet, {
    powersName: 'profile-for-hob',
    resultName: 'second-controller',
    env: { LAL_HOST: server.url, LAL_MODEL: 'scripted' },
  });
  expect(await host.receiveText()).toBe('Once.');
  release?.();
  await host.send('hob', 'And now?');
  expect(await host.receiveText()).toBe('Once.');
  const mailbox = await host.port.listMessages();
  const texts = mailbox.flatMap((mail) =>
    mail.type === 'package' && mail.from !== host.id ? [textOf(mail)] : [],
  );
  expect(texts.filter((text) => text === 'Too late.')).toEqual([]);
  expect(texts.filter((text) => text === 'Once.')).toHaveLength(2);
});

it('answers mail that came while the daemon was down, after kill -9', async () => {
  system = await startSystem([{ hang: true }]);
  const { host, server, daemon } = system;
  await host.send('hob', 'Hello');
  await server.nextRequest();
  await daemon.kill9();
  await daemon.restart();
  const client = await daemon.client();
  const again = await makePerson(client.host);
  const request = await server.nextRequest();
  expect(JSON.stringify(request.body.messages)).toContain('Hello');
  expect(await again.port.listMessages()).toHaveLength(2);
  client.close();
});
