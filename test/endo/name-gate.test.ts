import { E, Far } from '@endo/far';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Guest } from '../../src/endo/guest.ts';
import { makeNameGate } from '../../src/endo/name-gate.ts';
import type { NameGate } from '../../src/endo/name-gate.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';
import type { FakeGuest, FakeWorld } from '../support/fake-guest.ts';

type HostPowers = {
  readonly makeDirectory: (path: readonly string[]) => Promise<unknown>;
  readonly write: (path: readonly string[], id: string) => Promise<void>;
  readonly copy: (
    from: readonly string[],
    to: readonly string[],
  ) => Promise<void>;
};

let world: FakeWorld;
let hob: FakeGuest;
let guest: Guest;
let gate: NameGate;

/** The HOST may write into the guest's directory: through the guest's own name. */
const asHost = (): HostPowers => world.host as HostPowers;

beforeEach(async () => {
  world = makeFakeWorld();
  hob = await world.makeGuest('ada');
  guest = makeGenerationAGuest(hob.guest);
  gate = makeNameGate(guest, await guest.identity());
  await guest.storeValue('a note', ['note']);
  await guest.makeDirectory(['papers']);
  await guest.storeValue('a letter', ['papers', 'letter']);
});

describe('the gate of names admits', () => {
  it.each([
    ['note', ['note']],
    [['note'], ['note']],
    ['papers/letter', ['papers', 'letter']],
    [
      ['papers', 'letter'],
      ['papers', 'letter'],
    ],
    [['papers/letter'], ['papers', 'letter']],
    ['not-there-yet', ['not-there-yet']],
    ['papers/not-there-yet', ['papers', 'not-there-yet']],
    ['nowhere/at/all', ['nowhere', 'at', 'all']],
    ['HOST', ['HOST']],
    ['SELF', ['SELF']],
    ['hob', ['hob']],
    ['house', ['house']],
    ['transcripts', ['transcripts']],
    ['agent', ['agent']],
  ])('%j', async (given, path) => {
    expect(await gate.admit(given)).toEqual(path);
  });

  it('a plain name for one call to the daemon, and SELF and HOST for none', async () => {
    hob.control.resetCalls();
    await gate.admit('note');
    expect(hob.control.calls).toEqual({ locate: 1 });
    await gate.admit('HOST');
    await gate.admit('SELF');
    expect(hob.control.calls).toEqual({ locate: 1 });
  });

  it('a path with its prefixes identified at the same time', async () => {
    hob.control.resetCalls();
    let started = 0;
    let release: () => void = () => undefined;
    const gateOpen = new Promise<void>((resolve) => {
      release = resolve;
    });
    hob.control.delay = async () => {
      started += 1;
      if (started === 2) release();
      await gateOpen;
    };
    expect(await gate.admit('papers/letter')).toEqual(['papers', 'letter']);
  });
});

describe('the gate of names refuses', () => {
  it.each([
    ['nothing', undefined, 'must be a string'],
    ['a number', 5, 'must be a string'],
    ['a list of numbers', [5], 'must be a string'],
    ['the empty name', '', 'must not be empty'],
    ['the empty path', [], 'must not be empty'],
    ['an empty segment', 'a//b', 'must not be empty'],
    ['a leading slash', '/note', 'must not be empty'],
    ['a dot', './note', 'no "."'],
    ['two dots', 'papers/../note', 'no ".."'],
    ['NUL', 'no\0te', 'no name has'],
    ['a name that is too long', 'n'.repeat(256), 'too long'],
    ['a path that is too deep', Array(17).fill('a'), 'at most 16'],
    ['what the daemon does not take', 'No Te', 'Invalid name'],
    ['a path through a value that is no directory', 'note/x', 'cannot be used'],
  ])('%s', async (_what, given, reason) => {
    await expect(gate.admit(given)).rejects.toThrow(reason);
  });

  it.each([
    'transcript-1',
    'TRANSCRIPT-1',
    'summary-1',
    'hob-lease',
    'Hob-Lease',
    'lal-config',
    'proposal-1',
    'papers/transcript-1',
    'transcript-1/papers',
    'papers/papers/lal-config',
    'ｔranscript-1',
  ])('bookkeeping at any place of a path: %j', async (name) => {
    await expect(gate.admit(name)).rejects.toThrow('bookkeeping');
    await expect(gate.admit(name.split('/'))).rejects.toThrow('bookkeeping');
  });

  it.each([
    'AGENT',
    'KEYPAIR',
    'MAIL',
    'MAIN',
    'PINS',
    '@agent',
    '@host',
    '@self',
    '@AGENT',
    '@anything',
    'AGENT/note',
    'AGENT/lal-config',
    'AGENT/AGENT/note',
    'papers/AGENT',
    'HOST/AGENT',
  ])('the special name in %j', async (name) => {
    await expect(gate.admit(name)).rejects.toThrow(
      /not open to you|bookkeeping/u,
    );
  });

  it('the agent under a name that the HOST wrote into its directory', async () => {
    await E(hob.guest as HostPowers).write(['innocent'], hob.agentId);
    await expect(gate.admit('innocent')).rejects.toThrow('a part of yourself');
    await expect(gate.admit('innocent/note')).rejects.toThrow(
      '"innocent" names a part of yourself',
    );
    await expect(gate.admit(['innocent', 'papers', 'letter'])).rejects.toThrow(
      'a part of yourself',
    );
  });

  it.each(['AGENT', 'KEYPAIR', 'MAIL'])(
    'a copy of %s, in the directory and below it',
    async (name) => {
      await guest.copy([name], ['copy-of-it']);
      await guest.copy(['copy-of-it'], ['papers', 'deeper']);
      await expect(gate.admit('copy-of-it')).rejects.toThrow(
        'a part of yourself',
      );
      await expect(gate.admit('papers/deeper')).rejects.toThrow(
        'a part of yourself',
      );
      await expect(gate.admit('papers/deeper/note')).rejects.toThrow(
        'a part of yourself',
      );
    },
  );

  it('the agent through the directory of another, held under a pet name', async () => {
    await hob.put('boss', world.host);
    expect(await guest.has(['boss', hob.agentName])).toBe(true);
    await expect(gate.admit(['boss', hob.agentName])).rejects.toThrow(
      'a part of yourself',
    );
    await expect(gate.admit(['boss', hob.agentName, 'note'])).rejects.toThrow(
      'a part of yourself',
    );
  });

  it('the agent in a directory that the HOST made and handed over', async () => {
    await E(asHost()).makeDirectory(['shelf']);
    await E(asHost()).copy([hob.agentName], ['shelf', 'book']);
    await hob.put('shelf', await E(world.host as Guest).lookup(['shelf']));
    await expect(gate.admit('shelf/book')).rejects.toThrow(
      'a part of yourself',
    );
    await expect(gate.admit('shelf/book/lal-config')).rejects.toThrow();
  });

  it('ids and locators given as names', async () => {
    const { agentId, handleId } = hob;
    const [number = '', node = ''] = agentId.split(':');
    for (const given of [
      agentId,
      handleId,
      [agentId],
      `papers/${agentId}`,
      `endo://${node}/?id=${number}&type=guest`,
    ]) {
      await expect(gate.admit(given)).rejects.toThrow(
        /as a name|not be empty/u,
      );
    }
  });

  it('a worker that the host has named here, under whatever name', async () => {
    await hob.put('innocent', Far('EndoWorker', {}));
    await hob.put(['papers', 'innocent'], Far('EndoWorker', {}));
    for (const given of ['innocent', 'papers/innocent', 'innocent/x']) {
      await expect(gate.admit(given)).rejects.toThrow('not open to you');
    }
  });

  it('a name that cannot be identified', async () => {
    hob.control.failNext('locate', Error(`lost ${hob.agentId} on the way`));
    await expect(gate.admit('note')).rejects.toThrow(
      'cannot be used as a name',
    );
  });

  it('without a word of any id', async () => {
    await E(hob.guest as HostPowers).write(['innocent'], hob.agentId);
    hob.control.failNext('locate', Error(`lost ${hob.agentId} on the way`));
    const refusals = await Promise.all(
      ['note', 'innocent', 'innocent/x', hob.agentId].map((given) =>
        gate.admit(given).then(
          () => 'admitted',
          (error: unknown) => String(error),
        ),
      ),
    );
    for (const text of refusals) {
      expect(text).not.toBe('admitted');
      expect(text).not.toMatch(/[0-9a-f]{32}/u);
    }
  });
});

describe('what a listing leaves out', () => {
  it('is bookkeeping and the special names that are not open', () => {
    const names = ['note', 'HOST', 'SELF', 'hob', 'bob', 'hostess'];
    const hidden = [
      'transcript-1',
      'hob-lease',
      'lal-config',
      'AGENT',
      '@agent',
    ];
    expect(names.filter(gate.isHidden)).toEqual([]);
    expect(hidden.filter(gate.isHidden)).toEqual(hidden);
  });
});
