import { E } from '@endo/far';
import { expect, it } from 'vitest';
import type {
  Guest,
  Mail,
  ProposalMail,
  ReviewMail,
} from '../../src/endo/guest.ts';
import type { OpenWorld } from './world.ts';
import { lastOf, takeUntil } from './world.ts';

const HOST = harden(['HOST']);

type DecidingHost = {
  readonly grantEvaluate: (number: bigint) => Promise<unknown>;
  readonly counterEvaluate: (
    number: bigint,
    source: string,
    codeNames: readonly string[],
    petNames: readonly string[],
  ) => Promise<void>;
};

const decidingHost = ({ world }: OpenWorld): DecidingHost => {
  const host = world.host as DecidingHost;
  return {
    grantEvaluate: (number) => E(host).grantEvaluate(number),
    counterEvaluate: (...args) => E(host).counterEvaluate(...args),
  };
};

/** The newest message of a mailbox that is of a type. */
const newest = async <T extends Mail['type']>(
  guest: Guest,
  type: T,
): Promise<Extract<Mail, { readonly type: T }>> => {
  const found = (await guest.listMessages()).findLast(
    (mail): mail is Extract<Mail, { readonly type: T }> => mail.type === type,
  );
  if (found === undefined) throw Error(`There is no ${type}`);
  return found;
};

type Proposed = {
  readonly result: Promise<unknown>;
  /** As its proposer and its reviewer have it. */
  readonly own: ProposalMail;
  readonly review: ReviewMail;
};

type Code = {
  readonly source: string;
  readonly values?: { readonly [codeName: string]: string };
  readonly resultName?: string;
};

const propose = async (
  { guest, host }: OpenWorld,
  { source, values = {}, resultName }: Code,
): Promise<Proposed> => {
  const copies = guest.followMessages();
  const result = guest.evaluate(
    undefined,
    source,
    Object.keys(values),
    Object.values(values).map((name) => [name]),
    resultName === undefined ? undefined : [resultName],
  );
  // It is settled before it is awaited in some tests.
  result.catch(() => undefined);
  const own = await takeUntil(
    copies,
    (mail) => mail.type === 'proposal' && mail.source === source,
  );
  await copies.close();
  if (own.type !== 'proposal') throw Error('The own copy is no proposal');
  return { result, own, review: await newest(host, 'review') };
};

/** What every guest's proposals do. */
export const itProposesCode = (open: () => OpenWorld): void => {
  it('puts a proposal into both mailboxes, and shows each reader his side', async () => {
    const { guest } = open();
    const { self, host: hostId } = await guest.identity();
    await guest.storeValue(20, ['twenty']);
    const { own, review } = await propose(open(), {
      source: 'twenty + 1',
      values: { twenty: 'twenty' },
      resultName: 'sum',
    });
    const shared = {
      ...{ source: 'twenty + 1', from: self, to: hostId },
      ...{ codeNames: ['twenty'], petNamePaths: [['twenty']] },
    };
    expect(own).toMatchObject({ ...shared, resultName: ['sum'] });
    expect(review).toMatchObject({ ...shared, messageId: own.messageId });
    expect(own.ids).toEqual([await guest.identify(['twenty'])]);
    expect(await guest.has(['sum'])).toBe(false);
  });

  it('runs what is granted, and names the result for the proposer', async () => {
    const { guest } = open();
    await guest.storeValue(20, ['twenty']);
    const { result, own, review } = await propose(open(), {
      source: '({ sum: twenty + 1 })',
      values: { twenty: 'twenty' },
      resultName: 'sum',
    });
    await decidingHost(open()).grantEvaluate(review.number);
    expect(await result).toEqual({ sum: 21 });
    expect(await guest.outcomeOf(own)).toEqual({
      type: 'granted',
      value: { sum: 21 },
    });
    expect(await guest.lookup(['sum'])).toEqual({ sum: 21 });
  });

  it('tells of granted code that failed', async () => {
    const { guest } = open();
    const { own, review } = await propose(open(), {
      source: 'Promise.reject(Error("no more ink"))',
    });
    await expect(
      decidingHost(open()).grantEvaluate(review.number),
    ).rejects.toThrow('no more ink');
    expect(await guest.outcomeOf(own)).toMatchObject({
      type: 'failed',
      error: expect.stringContaining('no more ink') as unknown,
    });
  });

  it('tells the outcome again of a copy that is read later', async () => {
    const { guest } = open();
    const { review } = await propose(open(), { source: '7' });
    await decidingHost(open()).grantEvaluate(review.number);
    const again = await newest(guest, 'proposal');
    expect(await guest.outcomeOf(again)).toEqual({ type: 'granted', value: 7 });
  });

  it('puts a counter-proposal of the HOST among the mail', async () => {
    const { guest, host } = open();
    const { host: hostId, self } = await guest.identity();
    await host.storeValue(30, ['contract-thirty']);
    const { review } = await propose(open(), { source: '7' });
    await decidingHost(open()).counterEvaluate(
      review.number,
      'thirty + 7',
      ['thirty'],
      ['contract-thirty'],
    );
    expect(await newest(guest, 'review')).toMatchObject({
      ...{ source: 'thirty + 7', codeNames: ['thirty'] },
      ...{ from: hostId, to: self },
    });
    await host.remove(['contract-thirty']);
  });

  it('proposes nothing when a name is unknown', async () => {
    const { guest } = open();
    await expect(
      guest.evaluate(undefined, 'x', ['x'], [['no-such-name']]),
    ).rejects.toThrow('no-such-name');
    expect(await guest.listMessages()).toEqual([]);
  });

  it('tells what became of a request', async () => {
    const { guest, host, world } = open();
    const outcomes = ['first', 'second'].map(async (description) => {
      guest.request(HOST, description).catch(() => undefined);
      const asked = await takeUntil(
        guest.followMessages(),
        (mail) => mail.type === 'request' && mail.description === description,
      );
      if (asked.type !== 'request') throw Error('That is no request');
      return guest.outcomeOf(asked);
    });
    while ((await guest.listMessages()).length < 2) await guest.identity();
    const asked = (await host.listMessages()).filter(
      (mail) => mail.type === 'request',
    );
    const numberOf = (wanted: string): bigint =>
      asked.findLast(({ description }) => description === wanted)?.number ??
      -1n;
    await host.storeValue('tick', ['contract-clock']);
    await host.resolve(numberOf('first'), ['contract-clock']);
    await host.reject(numberOf('second'), 'not today');
    expect(await Promise.all(outcomes)).toEqual([
      { type: 'granted', value: 'tick' },
      { type: 'rejected', reason: 'not today' },
    ]);
    await host.remove(['contract-clock']);
    expect(world.guestName).not.toBe('');
  });
};

/** What Hob's daemon promises of proposals, and Endo's does not. */
export const itDecidesOnce = (open: () => OpenWorld): void => {
  it('tells how far a proposal has come', async () => {
    const { guest, host } = open();
    const { own, review } = await propose(open(), { source: '7' });
    expect([own.state, review.state]).toEqual(['open', 'open']);
    await decidingHost(open()).grantEvaluate(review.number);
    expect((await newest(guest, 'proposal')).state).toBe('granted');
    expect((await newest(host, 'review')).state).toBe('granted');
  });

  it('refuses a second decision', async () => {
    const { host } = open();
    const { review } = await propose(open(), { source: '7' });
    const { grantEvaluate, counterEvaluate } = decidingHost(open());
    await grantEvaluate(review.number);
    await expect(grantEvaluate(review.number)).rejects.toThrow('granted');
    await expect(counterEvaluate(review.number, '8', [], [])).rejects.toThrow(
      'granted',
    );
    await expect(host.reject(review.number, 'late')).rejects.toThrow('granted');
  });

  it('runs with the values that were identified when it was proposed', async () => {
    const { guest } = open();
    await guest.storeValue(1, ['value']);
    const { result, review } = await propose(open(), {
      source: 'value',
      values: { value: 'value' },
    });
    await guest.storeValue(2, ['value']);
    await decidingHost(open()).grantEvaluate(review.number);
    expect(await result).toBe(1);
  });

  it('tells the reason of a rejection', async () => {
    const { guest, host } = open();
    const { result, own, review } = await propose(open(), { source: '7' });
    await host.reject(review.number, 'countered by nobody');
    expect(await guest.outcomeOf(own)).toEqual({
      type: 'rejected',
      reason: 'countered by nobody',
    });
    await expect(result).rejects.toThrow('countered by nobody');
  });

  it('takes a dismissal by the HOST for a rejection', async () => {
    const { guest, host } = open();
    const { own, review } = await propose(open(), { source: '7' });
    await host.dismiss(review.number);
    expect(await guest.outcomeOf(own)).toMatchObject({
      type: 'rejected',
      reason: expect.stringContaining('dismissed without an answer') as unknown,
    });
  });

  it('lets nobody but the HOST decide a proposal', async () => {
    const { guest } = open();
    const { own } = await propose(open(), { source: '7' });
    await expect(guest.reject(own.number, 'no')).rejects.toThrow();
    expect((await newest(guest, 'proposal')).state).toBe('open');
  });

  it('says which message countered a proposal, and lets the guest reject that', async () => {
    const { guest, host } = open();
    const { own, review } = await propose(open(), { source: '7' });
    await host.storeValue(30, ['contract-thirty']);
    await decidingHost(open()).counterEvaluate(
      review.number,
      'thirty',
      ['thirty'],
      ['contract-thirty'],
    );
    const counter = await newest(guest, 'review');
    expect(counter.replyTo).toBe(own.messageId);
    expect(await guest.outcomeOf(own)).toEqual({
      type: 'countered',
      by: counter.messageId,
    });
    await guest.adopt(counter.number, counter.edgeNames[0] ?? '', ['thirty']);
    expect(await guest.lookup(['thirty'])).toBe(30);
    await guest.reject(counter.number, 'declined');
    const sent = await newest(host, 'proposal');
    expect(await host.outcomeOf(sent)).toEqual({
      type: 'rejected',
      reason: 'declined',
    });
    await host.remove(['contract-thirty']);
    expect((await lastOf(guest)).messageId).toBe(counter.messageId);
  });

  it('finds an answer by its id', async () => {
    const { guest } = open();
    const { own, review } = await propose(open(), { source: '7' });
    const answer = guest.lookupById(own.resultId ?? '');
    await decidingHost(open()).grantEvaluate(review.number);
    expect(await answer).toBe(7);
  });
};
