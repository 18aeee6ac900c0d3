import { E } from '@endo/far';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type FarIterator,
  type TestDaemon,
  type TestDaemonOptions,
} from '../support/daemon.ts';

/** A message of any type, as loosely typed as it comes out of a connection. */
export type Message = {
  readonly type: string;
  readonly number: bigint;
  readonly messageId: string;
  readonly replyTo?: string;
  readonly from: string;
  readonly to: string;
  readonly strings: string[];
  readonly source: string;
  readonly edgeNames: string[];
  readonly ids: string[];
  readonly resultId: string;
  readonly promiseId: string;
  readonly state: string;
  readonly counteredBy?: string;
  readonly settled: Promise<string>;
  readonly result: Promise<unknown>;
  readonly dismisser: { readonly dismiss: () => Promise<void> };
  readonly responder: {
    readonly reject: (reason: string) => Promise<void>;
    readonly resolveWithId: (id: string) => Promise<void>;
  };
};

export type Proposal = {
  readonly source: string;
  /** Code name → pet name. */
  readonly values?: Readonly<Record<string, string>>;
  readonly resultName?: string | readonly string[];
  readonly workerName?: string;
};

export type ProposingWorld = {
  readonly daemon: TestDaemon;
  readonly host: () => FarHost;
  /** A guest by its pet name; made when there is none. */
  readonly guest: (name: string) => Promise<FarGuest>;
  readonly reconnect: () => Promise<void>;
  readonly restart: () => Promise<void>;
  readonly killAndRestart: () => Promise<void>;
};

export const openProposingWorld = async (
  options: TestDaemonOptions = {},
): Promise<ProposingWorld> => {
  const daemon = await startTestDaemon(options);
  let { host } = await daemon.client();
  const reconnect = async (): Promise<void> => {
    ({ host } = await daemon.client());
  };
  return {
    daemon,
    host: () => host,
    guest: async (name) =>
      (await E(host).provideGuest(name, {
        agentName: `${name}-agent`,
      })) as FarGuest,
    reconnect,
    restart: async () => {
      await daemon.restart();
      await reconnect();
    },
    killAndRestart: async () => {
      await daemon.kill9();
      await daemon.restart();
      await reconnect();
    },
  };
};

export const messagesOf = async (agent: FarGuest): Promise<Message[]> =>
  (await E(agent).listMessages()) as Message[];

export const lastOf = async (agent: FarGuest): Promise<Message> => {
  const message = (await messagesOf(agent)).at(-1);
  if (message === undefined) throw Error('The mailbox is empty');
  return message;
};

/** A message as it reads now. */
export const readAgain = async (
  agent: FarGuest,
  { messageId }: Message,
): Promise<Message> => {
  const found = (await messagesOf(agent)).find(
    (message) => message.messageId === messageId,
  );
  if (found === undefined) throw Error('The message was dismissed');
  return found;
};

/** The next message of the host that fits. Old ones are looked at too. */
export const nextOf = async (
  agent: FarGuest,
  fits: (message: Message) => boolean,
): Promise<Message> => {
  const iterator = (await E(agent).followMessages()) as FarIterator;
  for (;;) {
    const { value } = (await E(iterator).next()) as { value: Message };
    if (!fits(value)) continue;
    await E(iterator).return();
    return value;
  }
};

/** Proposes, and reads the two copies. */
export const propose = async (
  host: FarHost,
  guest: FarGuest,
  { source, values = {}, resultName, workerName }: Proposal,
) => {
  const outcome = E(guest).evaluate(
    workerName,
    source,
    Object.keys(values),
    Object.values(values),
    resultName,
  );
  outcome.catch(() => undefined);
  // In order on one connection: it was posted, or refused, when this is answered.
  await E(guest).has('x');
  const mine = await lastOf(guest);
  const theirs = await readAgain(host, mine);
  return { outcome, mine, theirs };
};
