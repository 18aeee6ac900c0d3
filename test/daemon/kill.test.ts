import { E } from '@endo/far';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type TestDaemon,
} from '../support/daemon.ts';

const KILLS = 100;
/** Two daemons side by side share the kills. */
const DAEMONS = 2;
const LONGEST_RUN_MS = 120;

const seed = Number(process.env['HOB_KILL_SEED'] ?? '20260101');

/** A linear congruential generator: the same instants for the same seed. */
const makeRandom = (start: number) => {
  let state = start >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Acknowledged = {
  /** Name → value, or undefined when the removal was acknowledged. */
  readonly names: Map<string, string | undefined>;
  /** Texts of messages. */
  readonly mail: Set<string>;
  /** Names whose last write was asked and not acknowledged: either is right. */
  readonly uncertain: Set<string>;
};

/** Writes until the daemon is gone, and notes what was acknowledged. */
const writeNames = async (
  host: FarHost,
  who: string,
  round: number,
  done: Acknowledged,
): Promise<void> => {
  for (let index = 0; ; index += 1) {
    const name = `${who}-${index % 7}`;
    const value = `[${who} ${round}.${index}`;
    done.uncertain.add(name);
    const remove = index % 5 === 4 && done.names.get(name) !== undefined;
    if (remove) await E(host).remove(name);
    else await E(host).storeValue(value, name);
    done.names.set(name, remove ? undefined : value);
    done.uncertain.delete(name);
  }
};

const writeMail = async (
  host: FarHost,
  round: number,
  done: Acknowledged,
): Promise<void> => {
  for (let index = 0; ; index += 1) {
    const text = `${round}.${index}`;
    await E(host).send('peer', [text], [], []);
    done.mail.add(text);
  }
};

type Message = {
  readonly strings: string[];
  readonly messageId: string;
  readonly number: bigint;
};
const read = async (agent: FarGuest): Promise<Message[]> =>
  (await E(agent).listMessages()) as Message[];

const checkMail = async (host: FarHost, done: Acknowledged): Promise<void> => {
  const peer = (await E(host).lookup('peer-agent')) as FarGuest;
  const [mine, theirs] = [await read(host), await read(peer)];
  const ids = (messages: Message[]) =>
    messages.map(({ messageId }) => messageId);
  // Both or neither, also of what was not acknowledged.
  expect(ids(theirs)).toEqual(ids(mine));
  const texts = new Set(mine.map(({ strings }) => strings[0]));
  for (const text of done.mail) expect(texts).toContain(text);
  expect(new Set(mine.map(({ number }) => number)).size).toBe(mine.length);
  await E(peer).dismissAll();
  await E(host).dismissAll();
  done.mail.clear();
};

const checkNames = async (host: FarHost, done: Acknowledged): Promise<void> => {
  for (const [name, value] of done.names) {
    if (done.uncertain.has(name)) {
      done.names.delete(name);
      continue;
    }
    const found =
      (await E(host).has(name)) === true
        ? await E(host).lookup(name)
        : undefined;
    expect(found).toBe(value);
  }
  done.uncertain.clear();
};

const runRound = async (
  daemon: TestDaemon,
  round: number,
  wait: number,
  done: Acknowledged,
): Promise<void> => {
  const [one, two, three] = [
    await daemon.client(),
    await daemon.client(),
    await daemon.client(),
  ];
  const writers = [
    writeNames(one.host, 'ada', round, done),
    writeNames(two.host, 'bob', round, done),
    writeMail(three.host, round, done),
  ];
  const outcomes = Promise.allSettled(writers);
  await new Promise((resolve) => {
    setTimeout(resolve, wait);
  });
  await daemon.kill9();
  for (const outcome of await outcomes) expect(outcome.status).toBe('rejected');
  await daemon.restart();
  const { host } = await daemon.client();
  await checkNames(host, done);
  await checkMail(host, done);
};

describe('kill -9 under load', () => {
  it(`loses nothing that was acknowledged, at ${KILLS} random instants (seed ${seed})`, async () => {
    const totals = await Promise.all(
      Array.from({ length: DAEMONS }, async (_, nth) => {
        const random = makeRandom(seed + nth);
        const daemon = await startTestDaemon();
        onTestFinished(() => daemon.stop());
        const { host } = await daemon.client();
        await E(host).provideGuest('peer', { agentName: 'peer-agent' });
        const done: Acknowledged = {
          names: new Map(),
          mail: new Set(),
          uncertain: new Set(),
        };
        let written = 0;
        for (let round = 0; round < KILLS / DAEMONS; round += 1) {
          await runRound(daemon, round, random(LONGEST_RUN_MS), done);
          written += done.names.size;
        }
        return written;
      }),
    );
    // The writers did get to write.
    for (const total of totals) expect(total).toBeGreaterThan(KILLS);
  }, 180_000);
});
