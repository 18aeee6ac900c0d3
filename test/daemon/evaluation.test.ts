import { E } from '@endo/far';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startTestDaemon,
  type FarHost,
  type FarIterator,
  type TestDaemon,
} from '../support/daemon.ts';
import { workerPids } from './processes.ts';

let daemon: TestDaemon;
let host: FarHost;

type Request = { readonly type: string; readonly number: bigint };

/**
 * Runs code that asks the host whether it may go on, does `meanwhile`, and
 * lets it.
 */
const evaluateAround = async (
  worker: string,
  expression: string,
  petName: string,
  resultName: string | readonly string[],
  meanwhile: () => Promise<unknown>,
): Promise<unknown> => {
  const iterator = (await E(host).followMessages()) as FarIterator;
  const outcome = E(host).evaluate(
    worker,
    `E(agent).request('HOST', 'may I go on?').then(() => (${expression}))`,
    ['agent', 'it'],
    ['asker-agent', petName],
    resultName,
  );
  const early = outcome.then((value) => {
    throw Error(`The code did not ask: ${String(value)}`);
  });
  const { value } = (await Promise.race([E(iterator).next(), early])) as {
    readonly value: Request;
  };
  early.catch(() => undefined);
  await meanwhile();
  await E(host).resolve(value.number, 'yes');
  await E(host).dismiss(value.number);
  await E(iterator).return();
  return outcome;
};

beforeAll(async () => {
  daemon = await startTestDaemon();
  ({ host } = await daemon.client());
  await E(host).provideGuest('asker', { agentName: 'asker-agent' });
  await E(host).storeValue('yes', 'yes');
});
afterAll(() => daemon.stop());

describe('an evaluation', () => {
  it('keeps its result though the names of its values and its worker are removed while it runs', async () => {
    await E(host).storeValue(5n, 'five');
    const id = await E(host).identify('five');
    await evaluateAround(
      'passing',
      'Far("Keeper", { value: () => it })',
      'five',
      'keeper',
      async () => {
        await E(host).remove('five');
        await E(host).remove('passing');
      },
    );
    const keeper = (await E(host).lookup('keeper')) as {
      readonly value: () => Promise<unknown>;
    };
    await expect(E(keeper).value()).resolves.toBe(5n);
    // What it is made of again stays with it, and goes with it.
    await expect(E(host).lookupById(id)).resolves.toBe(5n);
    await E(host).remove('keeper');
    await expect(E(host).lookupById(id)).rejects.toThrow(/There is no value/);
  });

  it('lets go of what it ran with when it is over', async () => {
    await E(host).storeValue('brief', 'brief');
    const id = await E(host).identify('brief');
    await expect(
      E(host).evaluate('MAIN', 'it.length', ['it'], ['brief']),
    ).resolves.toBe(5);
    await E(host).remove('brief');
    await expect(E(host).lookupById(id)).rejects.toThrow(/There is no value/);
  });

  it('whose result cannot be kept leaves nothing in its worker', async () => {
    await E(host).makeDirectory('place');
    await expect(
      evaluateAround(
        'tidy',
        'Far("Homeless", {})',
        'yes',
        ['place', 'homeless'],
        () => E(host).remove('place'),
      ),
    ).rejects.toThrow('"place"');

    const processes = () => workerPids(daemon.pid(), 'confined', 'tidy');
    const before = processes();
    expect(before).toHaveLength(1);
    await E(host).evaluate('tidy', 'Far("Only", {})', [], [], 'only');
    expect(processes()).toEqual(before);
    // The process goes with the last value in it, so what comes next has another.
    await E(host).cancel('only');
    await E(host).lookup('only');
    const after = processes().filter((pid) => !before.includes(pid));
    expect(after).toHaveLength(1);
  });

  it.each(['class', 'await', 'let', 'eval', 'arguments', 'this', '__proto__'])(
    'refuses the code name %s before anything runs',
    async (name) => {
      await expect(
        E(host).evaluate('unborn', '1', [name], ['yes']),
      ).rejects.toThrow(
        `The code name "${name}" is not an identifier that code can use`,
      );
      await expect(E(host).has('unborn')).resolves.toBe(false);
    },
  );

  it('refuses one code name for two values', async () => {
    await expect(
      E(host).evaluate('unborn', '1', ['it', 'it'], ['yes', 'yes']),
    ).rejects.toThrow('The code name "it" is there twice');
  });
});
