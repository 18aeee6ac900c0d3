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

const ANNOUNCER = new URL('fixtures/announcer.js', import.meta.url).href;

const seed = Number(process.env['KILL_SEED'] ?? '20260101');

/** A linear congruential generator: the same instants for the same seed. */
const makeRandom = (start: number) => {
  let state = start >>> 0;
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Value = string | undefined;

type Acknowledged = {
  /** Name → value, or undefined when the removal was acknowledged. */
  readonly names: Map<string, Value>;
  /** Texts of messages. */
  readonly mail: Set<string>;
  /** What was asked and not acknowledged: it is there, or what was before. */
  readonly asked: Map<string, Value>;
  /** Highest number that a mailbox has given so far. */
  highest: bigint;
};

/** One write: the names that it changes, and what they come to be. */
type Write = {
  readonly changes: readonly (readonly [string, Value])[];
  readonly run: (host: FarHost) => Promise<unknown>;
};

/** The next write of a writer: mostly values, and every kind in its turn. */
const nextWrite = (
  who: string,
  value: string,
  index: number,
  names: ReadonlyMap<string, Value>,
): Write => {
  const name = `${who}-${index % 7}`;
  const copy = `${who}-copy`;
  const moved = `${who}-moved`;
  const present = names.get(name);
  const copied = names.get(copy);
  if (index % 5 === 4 && present !== undefined) {
    return {
      changes: [[name, undefined]],
      run: (host) => E(host).remove(name),
    };
  }
  if (index % 5 === 3 && present !== undefined) {
    return {
      changes: [[copy, present]],
      run: (host) => E(host).copy([name], [copy]),
    };
  }
  if (index % 5 === 2 && copied !== undefined) {
    return {
      changes: [
        [copy, undefined],
        [moved, copied],
      ],
      run: (host) => E(host).move([copy], [moved]),
    };
  }
  return {
    changes: [[name, value]],
    run: (host) => E(host).storeValue(value, name),
  };
};

/** Writes until the daemon is gone, and notes what was acknowledged. */
const writeNames = async (
  host: FarHost,
  who: string,
  round: number,
  done: Acknowledged,
): Promise<void> => {
  for (let index = 0; ; index += 1) {
    const value = `[${who} ${round}.${index}`;
    const { changes, run } = nextWrite(who, value, index, done.names);
    for (const [name, after] of changes) done.asked.set(name, after);
    await run(host);
    for (const [name, after] of changes) {
      done.names.set(name, after);
      done.asked.delete(name);
    }
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

/** Resolves to how many messages were acknowledged. */
const checkMail = async (
  host: FarHost,
  done: Acknowledged,
): Promise<number> => {
  const peer = (await E(host).lookup('peer-agent')) as FarGuest;
  const [mine, theirs] = [await read(host), await read(peer)];
  const ids = (messages: Message[]) =>
    messages.map(({ messageId }) => messageId);
  // Both or neither, also of what was not acknowledged.
  expect(ids(theirs)).toEqual(ids(mine));
  const texts = new Set(mine.map(({ strings }) => strings[0]));
  for (const text of done.mail) expect(texts).toContain(text);
  // No number is given twice, not even one whose message was dismissed.
  for (const { number } of mine) {
    expect(number).toBeGreaterThan(done.highest);
    done.highest = number;
  }
  const sent = done.mail.size;
  await E(peer).dismissAll();
  await E(host).dismissAll();
  done.mail.clear();
  return sent;
};

const checkNames = async (host: FarHost, done: Acknowledged): Promise<void> => {
  for (const name of new Set([...done.names.keys(), ...done.asked.keys()])) {
    const found =
      (await E(host).has(name)) === true
        ? ((await E(host).lookup(name)) as string)
        : undefined;
    const right = [done.names.get(name)];
    if (done.asked.has(name)) right.push(done.asked.get(name));
    expect(right).toContain(found);
    done.names.set(name, found);
  }
  done.asked.clear();
};

/** The pinned caplet was made: it has written its name, which is taken away. */
const checkPinned = async (host: FarHost): Promise<void> => {
  const peer = (await E(host).lookup('peer-agent')) as FarGuest;
  while (!((await E(peer).has('announced')) as boolean)) {
    // It is on its way; the test has a limit of time.
  }
  await E(peer).remove('announced');
};

const pinAnnouncer = async (host: FarHost): Promise<void> => {
  await E(host).makeUnconfined('MAIN', ANNOUNCER, {
    powersName: 'peer-agent',
    resultName: 'announcer',
  });
  await E(host).copy(['announcer'], ['PINS', 'announcer']);
  await checkPinned(host);
};

const runRound = async (
  daemon: TestDaemon,
  round: number,
  wait: number,
  done: Acknowledged,
): Promise<number> => {
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
  for (const outcome of await outcomes) {
    // Ended by the kill, and by nothing before it.
    expect(outcome).toMatchObject({ status: 'rejected' });
    expect(String((outcome as PromiseRejectedResult).reason)).toContain(
      'The connection "test"',
    );
  }
  await daemon.restart();
  const { host } = await daemon.client();
  await checkNames(host, done);
  if ((await E(host).has('announcer')) === true) await checkPinned(host);
  return checkMail(host, done);
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
          asked: new Map(),
          highest: -1n,
        };
        // One of them has a worker to bring back each time.
        if (nth === 0) await pinAnnouncer(host);
        let sent = 0;
        for (let round = 0; round < KILLS / DAEMONS; round += 1) {
          sent += await runRound(daemon, round, random(LONGEST_RUN_MS), done);
        }
        return sent;
      }),
    );
    // Mail did get out.
    expect(totals.reduce((sum, sent) => sum + sent)).toBeGreaterThan(KILLS);
  }, 180_000);
});
