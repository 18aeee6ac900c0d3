import { makePromiseKit } from '@endo/promise-kit';
import { describe, expect, it } from 'vitest';
import {
  makeOutboxWorld,
  numbersOf,
  proposalDraft,
  rejection,
  requestDraft,
  sendDraft,
  settle,
  text,
} from './outbox-world.ts';

describe('what leaves by the outbox', () => {
  it('comes back as its own copy: a message', async () => {
    const { outbox, journal, follow, guest } = await makeOutboxWorld();
    follow();
    const copy = await outbox.deliver(sendDraft('Hello'), journal);
    expect(copy).toEqual((await guest.listMessages()).at(-1));
    expect(copy).toMatchObject({ type: 'package', strings: ['Hello'] });
  });

  it('comes back as its own copy: a reply with a value', async () => {
    const { outbox, journal, intents, follow, guest, host } =
      await makeOutboxWorld();
    follow();
    await guest.storeValue(42, ['answer']);
    await host.send(['hob'], text('How many?'));
    const [question] = await guest.listMessages();
    if (question === undefined) throw Error('No question');
    const parcel = harden({
      ...{ strings: ['So many: ', ''], edgeNames: ['count'] },
      petNames: [['answer']],
    });
    const draft = harden({
      ...{ type: 'reply' as const, key: 'closing', parcel },
      ...{ answers: question, to: question.from },
    });
    const copy = await outbox.deliver(draft, journal);
    expect(copy).toMatchObject({
      replyTo: question.messageId,
      to: question.from,
      names: ['count'],
      ids: [await guest.identify(['answer'])],
    });
    expect(intents).toMatchObject([{ replyTo: question.messageId }]);
  });

  it('comes back as its own copy: a proposal and a request, before they are decided', async () => {
    const { outbox, journal, follow } = await makeOutboxWorld();
    follow();
    const proposed = await outbox.deliver(proposalDraft('1 + 1'), journal);
    expect(proposed).toMatchObject({ type: 'proposal', state: 'open' });
    const requested = await outbox.deliver(
      requestDraft('A file, please', 'file'),
      journal,
    );
    expect(requested).toMatchObject({ type: 'request', state: 'open' });
  });

  it('is on record before it leaves, with all by which its copy is known', async () => {
    const { outbox, guest, hob, follow } = await makeOutboxWorld();
    follow();
    await guest.send(['HOST'], text('before'));
    await settle();
    const { promise: durable, resolve } = makePromiseKit<undefined>();
    const journaled: unknown[] = [];
    const sent = outbox.deliver(sendDraft('Hello', 'call-7'), (intent) => {
      journaled.push(intent);
      return durable;
    });
    await settle();
    expect(journaled).toEqual([
      {
        ...{ key: 'call-7', type: 'package', watermark: 0n },
        ...{ to: (await guest.identity()).host, strings: ['Hello'] },
        ...{ names: [], ids: [] },
      },
    ]);
    expect(hob.control.calls['send']).toBe(1);
    resolve(undefined);
    expect((await sent).number).toBe(1n);
  });

  it('does not leave when it could not be put on record', async () => {
    const { outbox, hob } = await makeOutboxWorld();
    await expect(
      outbox.deliver(sendDraft('Hello'), () => Promise.reject(Error('full'))),
    ).rejects.toThrow('full');
    expect(hob.control.calls['send']).toBeUndefined();
  });

  it('does not leave when this incarnation may send no more', async () => {
    const { outbox, journal, hob } = await makeOutboxWorld({
      assertMay: () => Promise.reject(Error('taken over')),
    });
    await expect(outbox.deliver(sendDraft('Hi'), journal)).rejects.toThrow(
      'taken over',
    );
    expect(hob.control.calls['send']).toBeUndefined();
  });

  it('leaves one at a time, in the order of the calls', async () => {
    const { outbox, journal, follow, hob, host } = await makeOutboxWorld();
    follow();
    const gate = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? gate.promise : Promise.resolve();
    await hob.put('note', 'a note');
    const slow = harden({
      ...{ type: 'send' as const, key: 'a', to: ['HOST'] },
      parcel: {
        strings: ['first', ''],
        edgeNames: ['n'],
        petNames: [['note']],
      },
    });
    const copies = [
      outbox.deliver(slow, journal),
      outbox.deliver(proposalDraft('2'), journal),
      outbox.deliver(sendDraft('third'), journal),
    ];
    await settle();
    expect(hob.control.calls['evaluate']).toBeUndefined();
    gate.resolve(undefined);
    expect(numbersOf(await Promise.all(copies))).toEqual([0n, 1n, 2n]);
    expect((await host.listMessages()).map(({ type }) => type)).toEqual([
      'package',
      'review',
      'package',
    ]);
  });

  it('is not taken for another of the same text: each gets its own copy', async () => {
    const { outbox, journal, intents, follow } = await makeOutboxWorld();
    follow();
    const copies = await Promise.all(
      ['a', 'b', 'c'].map((key) =>
        outbox.deliver(sendDraft('Same', key), journal),
      ),
    );
    expect(numbersOf(copies)).toEqual([0n, 1n, 2n]);
    expect(intents.map(({ watermark }) => watermark)).toEqual([-1n, 0n, 1n]);
  });
});

describe('a refused call', () => {
  it('rejects with what the daemon said, and leaves nothing waiting', async () => {
    const { outbox, journal, follow, hob, timers } = await makeOutboxWorld();
    follow();
    hob.control.failNext('send', Error('too long'));
    const refused = outbox.deliver(sendDraft('Same'), journal);
    const next = outbox.deliver(sendDraft('Same'), journal);
    await expect(refused).rejects.toThrow('too long');
    expect((await next).number).toBe(0n);
    expect(timers()).toBe(0);
  });

  it('is not made when a name is gone', async () => {
    const { outbox, journal, intents, hob } = await makeOutboxWorld();
    const draft = sendDraft('Hi', 'call-1', 'nobody');
    await expect(outbox.deliver(draft, journal)).rejects.toThrow(
      'Nothing was sent: there is nothing named "nobody"',
    );
    expect(intents).toEqual([]);
    expect(hob.control.calls['send']).toBeUndefined();
  });

  it('says so when the daemon had an answer and asked nobody', async () => {
    const { outbox, journal, follow, guest } = await makeOutboxWorld();
    follow();
    await guest.storeValue('old', ['file']);
    await expect(
      outbox.deliver(requestDraft('A file', 'file'), journal),
    ).rejects.toThrow(/^Nothing was asked/u);
  });
});

describe('an outbox that is closed', () => {
  it('gives up what it waits for, stops its timers and calls nobody', async () => {
    const { outbox, journal, hob, timers } = await makeOutboxWorld();
    const waiting = rejection(outbox.deliver(sendDraft('Hi'), journal));
    const queued = rejection(outbox.deliver(sendDraft('Ho'), journal));
    await settle();
    expect(timers()).toBe(1);
    const calls = { ...hob.control.calls };
    outbox.close(Error('stopped'));
    outbox.close(Error('stopped again'));
    expect(await waiting).toEqual(Error('stopped'));
    expect(await queued).toEqual(Error('stopped'));
    expect(timers()).toBe(0);
    expect(hob.control.calls).toEqual(calls);
  });

  it('lets nothing leave that was being put on record', async () => {
    const { outbox, hob } = await makeOutboxWorld();
    const { promise: durable, resolve } = makePromiseKit<undefined>();
    const failure = rejection(outbox.deliver(sendDraft('Hi'), () => durable));
    await settle();
    outbox.close(Error('stopped'));
    resolve(undefined);
    expect(await failure).toEqual(Error('stopped'));
    expect(hob.control.calls['send']).toBeUndefined();
  });
});
