import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarGuest,
  type FarHost,
  type TestDaemon,
} from '../support/daemon.ts';
import { until, workerPids } from './processes.ts';

const fixture = (name: string): string =>
  new URL(`fixtures/${name}.js`, import.meta.url).href;
const COUNTER = fixture('counter');
const ANNOUNCER = fixture('announcer');

type Counter = {
  readonly [
    name in 'cancelMyself' | 'increment' | 'pid'
  ]: () => Promise<unknown>;
};

let daemon: TestDaemon;
let host: FarHost;

const makeGuest = async (name: string): Promise<FarGuest> =>
  (await E(host).provideGuest(name, {
    agentName: `${name}-agent`,
  })) as FarGuest;
const makeCaplet = async (
  worker: string | undefined,
  specifier: string,
  powersName: string,
  resultName: string,
): Promise<unknown> =>
  E(host).makeUnconfined(worker, specifier, { powersName, resultName });

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ host } = await daemon.client());
});
afterAll(() => daemon.stop());

describe('a pinned caplet', () => {
  it('comes back when what it depends on loses its worker', async () => {
    const guest = await makeGuest('pinner');
    // Its powers live in a process that is not its own.
    await E(host).evaluate(
      'below',
      'Far("Powers", { storeValue: (value, name) => E(agent).storeValue(value, name) })',
      ['agent'],
      ['pinner-agent'],
      'powers-below',
    );
    await makeCaplet('above', ANNOUNCER, 'powers-below', 'pinned');
    await E(host).copy(['pinned'], ['PINS', 'pinned']);
    await until(async () => (await E(guest).has('announced')) === true);
    await E(guest).remove('announced');

    const below = workerPids(daemon.pid(), 'confined', 'below');
    expect(below).toHaveLength(1);
    process.kill(below[0] ?? 0, 'SIGKILL');
    await until(async () => (await E(guest).has('announced')) === true);
    expect(await E(guest).lookup('announced')).toBe('here');
  });
});

describe('a caplet that was cancelled', () => {
  it('cannot end its successor', async () => {
    await makeGuest('line');
    // It keeps the process of the others alive.
    await makeCaplet(undefined, COUNTER, 'line-agent', 'neighbour');
    const old = (await makeCaplet(
      undefined,
      COUNTER,
      'line-agent',
      'heir',
    )) as Counter;
    await E(host).cancel('heir');
    const successor = (await E(host).lookup('heir')) as Counter;
    expect(successor).not.toBe(old);
    await E(successor).increment();

    await E(old).cancelMyself();
    expect(await E(host).lookup('heir')).toBe(successor);
    await expect(E(successor).increment()).resolves.toBe(2n);
  });

  it('while its powers were awaited is not made when they come', async () => {
    const [late, other] = [await makeGuest('late'), await makeGuest('other')];
    await makeCaplet('waiting-room', COUNTER, 'NONE', 'keeps-the-room');
    E(host)
      .request('SELF', 'powers, please')
      .catch(() => undefined);
    // In order on one connection: the request was posted when this is answered.
    await E(host).has('x');
    const messages = (await E(host).listMessages()) as {
      readonly number: bigint;
      readonly promiseId: string;
    }[];
    const request = messages.at(-1);
    await E(host).write('powers-to-come', request?.promiseId);
    const made = makeCaplet(
      'waiting-room',
      ANNOUNCER,
      'powers-to-come',
      'never',
    );
    const refused = expect(made).rejects.toThrow('never mind');
    // Another turn: by now its making has begun.
    await E(host).has('x');
    await E(host).cancel('never', 'never mind');
    await refused;

    await E(host).resolve(request?.number, 'late-agent');
    // Made in the same process, and after the other would have been.
    await makeCaplet('waiting-room', ANNOUNCER, 'other-agent', 'after');
    await until(async () => (await E(other).has('announced')) === true);
    await expect(E(late).has('announced')).resolves.toBe(false);
  });
});

describe('cancel', () => {
  it('of an address for mail says that nothing runs there', async () => {
    await makeGuest('reader');
    const caplet = await makeCaplet(
      undefined,
      COUNTER,
      'reader-agent',
      'reading',
    );
    await expect(E(host).cancel('reader')).rejects.toThrow(
      '"reader" is an address for mail, and nothing that runs; cancel the agent or its caplet',
    );
    expect(await E(host).lookup('reading')).toBe(caplet);
  });
});

describe('a worker whose name was removed', () => {
  it('ends, with both its processes', async () => {
    const pids = (kind: 'confined' | 'unconfined') =>
      workerPids(daemon.pid(), kind, 'leaver');
    await E(host).evaluate('leaver', '1', [], []);
    await makeCaplet('leaver', COUNTER, 'NONE', 'last-tenant');
    expect(pids('confined')).toHaveLength(1);
    expect(pids('unconfined')).toHaveLength(1);

    await E(host).remove('leaver');
    await E(host).remove('last-tenant');
    await until(() => pids('confined').length === 0);
    await until(() => pids('unconfined').length === 0);
    await expect(E(host).evaluate('leaver', '2', [], [])).resolves.toBe(2);
  });
});
