import { describe, expect, it } from 'vitest';

import { noAsking } from '../../src/agent/asking.ts';
import { makeLedger } from '../../src/agent/ledger.ts';
import type { Post } from '../../src/agent/post.ts';
import {
  makeCorrespondentTurnMail,
  makeFullTurnMail,
} from '../../src/agent/turn-mail.ts';
import { connectGuest } from '../../src/endo/generation.ts';
import type { AdmittedPath } from '../../src/endo/name-gate.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';
import { makePerson } from '../support/person.ts';
import { meet, sendValue } from './acquaintance.ts';

const FOLDER = 'from-bob';
const PARCEL = harden({ strings: ['Hi'], edgeNames: [], petNames: [] });
const ONCE = harden({ replace: false });

/** The gate is not what is tested here. */
const path = (...names: readonly string[]): AdmittedPath =>
  harden([...names]) as unknown as AdmittedPath;

/** The HOST's message with a gift is #0, Bob's with a seed is #1. */
const makeMail = async () => {
  const world = makeFakeWorld();
  const hob = await world.makeGuest('hob');
  const guest = await connectGuest(hob.powers);
  const host = await makePerson(world.host);
  const bob = await meet({ world, hob }, 'bob');
  const parts = { text: 'A ', value: 1 };
  await sendValue(host, { ...parts, edgeName: 'gift' });
  await sendValue(bob, { ...parts, edgeName: 'seed' });
  const [fromHost, fromBob] = await guest.listMessages();
  if (fromHost === undefined || fromBob === undefined) throw Error('No mail');
  const replies: bigint[] = [];
  const post: Post = {
    send: () => Promise.reject(Error('nothing is sent here')),
    reply: ({ number }) => {
      replies.push(number);
      return Promise.resolve();
    },
    ask: () => Promise.reject(Error('nothing is asked here')),
  };
  const ledger = makeLedger();
  const { self } = await guest.identity();
  const powers = {
    ...{ guest, post, ledger, self },
    sender: {
      turn: { messageId: 'node', correspondent: 'somebody' },
      key: 'call-1',
      journal: () => Promise.resolve(),
      onSeen: () => undefined,
    },
    turns: 2,
    servesHost: true,
    isOpen: () => false,
  };
  return {
    guest,
    replies,
    ledger,
    full: makeFullTurnMail({
      ...powers,
      answering: fromHost,
      correspondent: host.id,
    }),
    limited: makeCorrespondentTurnMail(
      { ...powers, answering: fromBob, correspondent: bob.id },
      FOLDER,
    ),
  };
};

describe('the mail of a turn for one correspondent', () => {
  it('is what was exchanged with him', async () => {
    const { limited } = await makeMail();
    expect((await limited.list()).map(({ number }) => number)).toEqual([1n]);
  });

  it('answers him, and nobody in his stead', async () => {
    const { limited, replies, ledger } = await makeMail();
    await limited.reply(1n, PARCEL);
    await expect(limited.reply(0n, PARCEL)).rejects.toThrow('no such message');
    expect(replies).toEqual([1n]);
    expect(ledger.messagedCorrespondent()).toBe(true);
  });

  it('sends nothing to anyone and puts nothing away', async () => {
    const { limited, guest } = await makeMail();
    await expect(limited.send(path('HOST'), PARCEL)).rejects.toThrow('reply');
    for (const number of [0n, 1n]) {
      await expect(limited.dismiss(number)).rejects.toThrow('host');
    }
    expect(await guest.listMessages()).toHaveLength(2);
  });

  it('adopts what he sent, and nothing of others', async () => {
    const { limited, guest } = await makeMail();
    const before = await guest.list([]);
    await expect(
      limited.adopt(0n, 'gift', path(FOLDER, 'mine'), ONCE),
    ).rejects.toThrow('no such message');
    await expect(
      limited.adopt(1n, 'tree', path(FOLDER, 'mine'), ONCE),
    ).rejects.toThrow('no value of that name');
    expect(await guest.list([])).toEqual(before);
    await limited.adopt(1n, 'seed', path(FOLDER, 'mine'), ONCE);
    expect(await guest.list([])).toEqual([...before, FOLDER].sort());
    expect(await guest.list([FOLDER])).toEqual(['mine']);
  });

  it('adopts into the folder that is there already', async () => {
    const { limited, guest } = await makeMail();
    await limited.adopt(1n, 'seed', path(FOLDER, 'one'), ONCE);
    await limited.adopt(1n, 'seed', path(FOLDER, 'two'), ONCE);
    expect(await guest.list([FOLDER])).toEqual(['one', 'two']);
  });
});

it('of anyone else decides nothing and asks nothing of others', async () => {
  const { limited } = await makeMail();
  const closed = 'Only the host';
  await expect(limited.resolve(1n, path('tree'))).rejects.toThrow(closed);
  await expect(limited.reject(1n, 'no')).rejects.toThrow(closed);
  const code = { source: '1', codeNames: [], petNames: [] };
  await expect(
    noAsking.propose({ ...code, resultName: undefined }),
  ).rejects.toThrow(closed);
  await expect(
    noAsking.request(path('HOST'), 'a pen', path('pen')),
  ).rejects.toThrow(closed);
});

describe('the mail of a turn for the HOST', () => {
  it('is all of it', async () => {
    const { full } = await makeMail();
    expect(await full.list()).toHaveLength(2);
  });

  it('knows whether it wrote to whom it serves', async () => {
    const { full, ledger, replies } = await makeMail();
    await full.reply(1n, PARCEL);
    expect(ledger.messagedCorrespondent()).toBe(false);
    await full.reply(0n, PARCEL);
    expect(ledger.messagedCorrespondent()).toBe(true);
    expect(replies).toEqual([1n, 0n]);
  });

  it('adopts over another value only when told to replace', async () => {
    const { full, guest, ledger } = await makeMail();
    await guest.storeValue('dear', ['diary']);
    await expect(full.adopt(1n, 'seed', path('diary'), ONCE)).rejects.toThrow(
      'another value',
    );
    expect(await guest.lookup(['diary'])).toBe('dear');
    expect(ledger.adoptedEdges(1n).size).toBe(0);
    await full.adopt(1n, 'seed', path('diary'), harden({ replace: true }));
    expect(await guest.lookup(['diary'])).toBe(1);
    expect([...ledger.adoptedEdges(1n)]).toEqual(['seed']);
  });

  it('may adopt the same value under its name again', async () => {
    const { full, guest } = await makeMail();
    await full.adopt(1n, 'seed', path('tree'), ONCE);
    await full.adopt(1n, 'seed', path('tree'), ONCE);
    expect(await guest.lookup(['tree'])).toBe(1);
  });

  it('puts other mail away at once, and what it answers at the end', async () => {
    const { full, guest, ledger } = await makeMail();
    expect(await full.dismiss(1n)).toBe('dismissed');
    expect(await full.dismiss(0n)).toBe('deferred');
    expect(ledger.wishesSilence()).toBe(true);
    expect(await guest.listMessages()).toMatchObject([{ number: 0n }]);
  });
});
