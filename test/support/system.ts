import { E } from '@endo/far';

import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest } from '../../src/endo/guest.ts';
import { provisionAgent } from '../../setup/provision.ts';
import {
  type OpenAiServer,
  type Script,
  startOpenAiServer,
} from './openai-server.ts';
import { type Person, makePerson } from './person.ts';
import { type TestDaemon, startTestDaemon } from './daemon.ts';

const CAPLET = new URL('../../src/caplet.ts', import.meta.url).href;

/** A host of the daemon, as far as these tests call it directly. */
export type HostPowers = {
  readonly lookup: (path: string | readonly string[]) => Promise<unknown>;
  readonly cancel: (name: string) => Promise<void>;
  readonly provideGuest: (
    name: string,
    settings: {
      readonly agentName: string;
      readonly introducedNames?: { readonly [name: string]: string };
    },
  ) => Promise<unknown>;
  readonly makeUnconfined: (
    worker: string,
    specifier: string,
    settings: {
      readonly powersName: string;
      readonly resultName: string;
      readonly env?: { readonly [name: string]: string };
    },
  ) => Promise<unknown>;
  readonly evaluate: (
    worker: undefined,
    source: string,
    codeNames: readonly string[],
    petNames: readonly string[],
    resultName?: string,
  ) => Promise<unknown>;
};

export type Controller = {
  readonly whenSettled: (
    messageId: string,
  ) => Promise<{ readonly outcome: string }>;
  readonly interrupt: () => Promise<bigint>;
  readonly status: () => Promise<{ readonly openTurns: bigint }>;
};

/** The whole of it: a daemon in its process, an agent in its worker, a model. */
export type System = {
  readonly daemon: TestDaemon;
  readonly server: OpenAiServer;
  readonly host: Person;
  readonly hostPowers: HostPowers;
  /** The agent's own guest, as the HOST can look into it. */
  readonly hob: Guest;
  readonly controller: Controller;
  readonly settled: (messageId: string) => Promise<string>;
  readonly stop: () => Promise<void>;
};

export const caplet = CAPLET;

export const startSystem = async (
  script: Script,
  env: { readonly [name: string]: string } = {},
  options: { readonly statePath?: string } = {},
): Promise<System> => {
  const server = await startOpenAiServer(script);
  const daemon = await startTestDaemon(options);
  const client = await daemon.client();
  const hostPowers = client.host as HostPowers;
  await provisionAgent(client.host as Parameters<typeof provisionAgent>[0], {
    env: { LAL_HOST: server.url, LAL_MODEL: 'scripted', ...env },
    fetch: () => Promise.reject(Error('no probing here')),
    caplet: CAPLET,
    randomId: () => 'provision-1',
  });
  const host = await makePerson(client.host);
  await host.receive();
  const controller = (await E(hostPowers).lookup(
    'controller-for-hob',
  )) as Controller;
  return {
    daemon,
    server,
    host,
    hostPowers,
    hob: makeGenerationAGuest(await E(hostPowers).lookup('profile-for-hob')),
    controller,
    settled: async (messageId) =>
      (await E(controller).whenSettled(messageId)).outcome,
    stop: async () => {
      client.close();
      await daemon.stop();
      await server.close();
    },
  };
};
