import { expect, it } from 'vitest';

import { connectGuest } from '../../src/endo/generation.ts';
import { makeOpenIndex } from '../../src/proposal/open-index.ts';
import {
  type OpenRecord,
  parseOpenRecord,
} from '../../src/proposal/open-record.ts';
import { makeFakeWorld } from '../support/fake-guest.ts';

/** Version 1, as it is stored: a later Hob must read it. */
const record: OpenRecord = harden({
  version: 1,
  kind: 'request',
  messageId: 'c'.repeat(64),
  number: 3n,
  correspondent: 'host-handle',
  decider: 'bob-handle',
  askedBy: 'd'.repeat(64),
  tip: null,
  answers: { messageId: 'd'.repeat(64), number: 2n },
  asked: 'a pen',
  resultName: 'answer-1',
  answerId: 'some-id',
});

const makeGuest = async () => {
  const { powers } = await makeFakeWorld().makeGuest('hob');
  return connectGuest(powers);
};

const noDamage = (cause: unknown): never => {
  throw cause;
};

it('is found again by another incarnation', async () => {
  const guest = await makeGuest();
  const index = makeOpenIndex(guest);
  await index.put({ ...record, messageId: 'f'.repeat(64), number: 10n });
  await index.put(record);
  const later = makeOpenIndex(guest);
  await later.load(await guest.list([]), noDamage);
  expect(later.all().map(({ number }) => number)).toEqual([3n, 10n]);
  expect(later.get(record.messageId)).toEqual(record);
});

it('knows a record before it is stored', async () => {
  const index = makeOpenIndex(await makeGuest());
  const stored = index.put(record);
  expect(index.get(record.messageId)).toEqual(record);
  await stored;
});

it('stores nothing after a removal, and the last of two records', async () => {
  const guest = await makeGuest();
  const index = makeOpenIndex(guest);
  const first = index.put(record);
  const second = index.put({ ...record, tip: 'e'.repeat(64) });
  await Promise.all([first, second]);
  const path = [`hob-open-${record.messageId}`];
  expect(await guest.lookup(path)).toMatchObject({ tip: 'e'.repeat(64) });
  const third = index.put(record);
  await index.remove(record.messageId);
  await third;
  expect(await guest.has(path)).toBe(false);
  await index.remove(record.messageId);
});

it.each([
  ['of a later version', { ...record, version: 2 }, 'version 2'],
  ['without a kind', { ...record, kind: 'wish' }, 'damaged'],
  ['without a number', { ...record, number: 3 }, 'damaged'],
  ['with an odd reference', { ...record, answers: { number: 1n } }, 'damaged'],
  ['that is none', undefined, 'version'],
])('refuses a record %s', (_what, stored, said) => {
  expect(() => parseOpenRecord(stored)).toThrow(said);
});
