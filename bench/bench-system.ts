/** The real daemon, the real worker and the real SDK, around a model of the bench. */
import { E } from '@endo/far';
import { statSync } from 'node:fs';

import { daemonPaths } from '../daemon/connection/paths.ts';
import { provisionAgent } from '../setup/provision.ts';
import { startTestDaemon, type TestClient } from '../test/support/daemon.ts';
import { caplet, type Controller } from '../test/support/system.ts';
import { type BenchHost, type BenchMail, makeBenchHost } from './bench-host.ts';
import { type BenchModel, startBenchModel } from './bench-model.ts';
import { childrenOf, residentMb, writtenBytes } from './processes.ts';
import { sum } from './statistics.ts';

export type Turn = {
  /** From the message to its answer. */
  readonly milliseconds: number;
  readonly answer: BenchMail;
};

export type BenchSystem = {
  readonly model: BenchModel;
  /** A message to the agent, and its answer; resolves when the turn is settled. */
  readonly turn: (text: string, before?: BenchMail) => Promise<Turn>;
  /** In MB. */
  readonly resident: () => { readonly daemon: number; readonly agent: number };
  /** By the daemon, to the disk. */
  readonly written: () => number;
  /** Ends the daemon as a power cut does, in the middle of a turn if there is one. */
  readonly kill: () => Promise<void>;
  /** Starts it again, and its agent: milliseconds until the daemon is ready. */
  readonly restart: () => Promise<number>;
  /** Resolves when the turn is settled that a kill has interrupted. */
  readonly settled: (messageId: string) => Promise<string>;
  /** The message alone, whose answer is not awaited. */
  readonly say: (text: string, before?: BenchMail) => Promise<string>;
  /** Size of the database, when the daemon has just started. */
  readonly databaseBytes: () => number;
  readonly stop: () => Promise<void>;
};

/** No limit is in the way of a long conversation, unless `env` says so. */
const NO_LIMITS = {
  LAL_CONTEXT_TOKENS: '100000000',
  LAL_TURN_TOKENS: '2000000000',
};

export const startBenchSystem = async (
  env: { readonly [name: string]: string } = {},
): Promise<BenchSystem> => {
  const model = await startBenchModel();
  const daemon = await startTestDaemon();
  const { databasePath } = daemonPaths({
    env: { HOB_STATE_PATH: daemon.statePath },
    home: daemon.statePath,
  });
  const settings = { LAL_HOST: model.url, LAL_MODEL: 'bench' };
  const provisioning = await daemon.client();
  await provisionAgent(
    provisioning.host as Parameters<typeof provisionAgent>[0],
    {
      env: { ...settings, ...NO_LIMITS, ...env },
      fetch: () => Promise.reject(Error('no probing here')),
      caplet,
      randomId: () => 'bench-1',
    },
  );
  // What compiles at the first start is not measured.
  await daemon.restart();

  // Reads the HOST's mailbox: not while something else is measured.
  let host: Promise<BenchHost> | undefined;
  let client: TestClient;
  let controller: Controller;
  const connect = async (): Promise<void> => {
    host = undefined;
    client = await daemon.client();
    controller = (await E(client.host)['lookup'](
      'controller-for-hob',
    )) as Controller;
    await E(controller).status();
  };
  const theHost = (): Promise<BenchHost> => {
    host ??= makeBenchHost(client.host);
    return host;
  };
  await connect();

  const settled = async (messageId: string): Promise<string> =>
    (await E(controller).whenSettled(messageId)).outcome;

  const say = async (text: string, before?: BenchMail): Promise<string> =>
    (await theHost()).say(text, before);

  return {
    model,
    say,
    settled,
    databaseBytes: () => statSync(databasePath).size,
    turn: async (text, before) => {
      const began = performance.now();
      const messageId = await say(text, before);
      const answer = await (await theHost()).answerTo(messageId);
      const milliseconds = performance.now() - began;
      await settled(messageId);
      return { milliseconds, answer };
    },
    resident: () => ({
      daemon: residentMb(daemon.pid()),
      agent: sum(childrenOf(daemon.pid()).map(residentMb)),
    }),
    written: () => writtenBytes(daemon.pid()),
    kill: () => daemon.kill9(),
    restart: async () => {
      const began = performance.now();
      await daemon.restart();
      const milliseconds = performance.now() - began;
      await connect();
      return milliseconds;
    },
    stop: async () => {
      await daemon.stop();
      await model.close();
    },
  };
};
harden(startBenchSystem);
