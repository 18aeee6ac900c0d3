import { describe, expect, it } from 'vitest';

import { makeFolderGate } from '../../src/agent/folder-gate.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import { makeNameGate } from '../../src/endo/name-gate.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';
import { makePerson } from '../support/person.ts';

const FOLDER = 'from-bob';

const makeGate = async () => {
  const { powers, control } = await makeFakeWorld().makeGuest('hob');
  const guest = await connectGuest(powers);
  const own = await makePerson(powers);
  await own.port.storeValue('dear', ['diary']);
  await own.port.makeDirectory(['papers']);
  const gate = makeFolderGate(
    makeNameGate(guest, await guest.identity()),
    FOLDER,
  );
  control.resetCalls();
  return { gate, control };
};

const rejection = async (attempt: Promise<unknown>): Promise<string> => {
  try {
    await attempt;
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
  throw Error('It was admitted');
};

describe('the gate of a folder', () => {
  it.each([
    ['diary', [FOLDER, 'diary']],
    [['diary'], [FOLDER, 'diary']],
    ['from-bob/diary', [FOLDER, 'diary']],
    [
      [FOLDER, 'diary'],
      [FOLDER, 'diary'],
    ],
    ['HOST', [FOLDER, 'HOST']],
    ['AGENT', undefined],
    ['lal-config', undefined],
  ])('takes %j for a name in it', async (given, admitted) => {
    const { gate } = await makeGate();
    if (admitted === undefined) {
      expect(await rejection(gate.admit(given))).toMatch(
        /not open to you|bookkeeping/u,
      );
    } else {
      expect(await gate.admit(given)).toEqual(admitted);
    }
  });

  it.each([
    ['papers/planted'],
    [['papers', 'planted']],
    ['from-bob'],
    ['from-bob/papers/planted'],
    ['from-bob/../diary'],
    ['../diary'],
    [['from-bob', '..', 'diary']],
    ['HOST/x'],
    ['AGENT/lal-config'],
  ])('refuses %j without a look at what is there', async (given) => {
    const { gate, control } = await makeGate();
    expect(await rejection(gate.admit(given))).toContain(
      `a value under ${FOLDER}`,
    );
    expect(control.log).toEqual([]);
  });

  it('says the same of a name that is taken and of one that is free', async () => {
    const { gate } = await makeGate();
    const [taken = '', free = ''] = await Promise.all(
      ['diary/x', 'nothing/x'].map((path) => rejection(gate.admit(path))),
    );
    expect(taken.replace('diary', 'nothing')).toBe(free);
  });
});
