import { describe, expect, it } from 'vitest';
import type { Parcel } from '../../src/endo/guest.ts';
import {
  makeOutboxWorld,
  rejection,
  sendDraft,
  settle,
  text,
} from './outbox-world.ts';

describe('messages of another client of the same guest', () => {
  it('are nobody else’s: they are told from what left here', async () => {
    const { outbox, journal, follow, guest, observed } =
      await makeOutboxWorld();
    follow();
    await guest.storeValue(1, ['one']);
    const values = harden({ edgeNames: ['v'], petNames: [['one']] });
    await guest.send(['HOST'], text('Hello!'));
    await guest.send(['SELF'], text('Hello'));
    await guest.send(['HOST'], harden({ strings: ['Hello', ''], ...values }));
    await guest.reply(0n, text('Hello'));
    const copy = await outbox.deliver(sendDraft('Hello'), journal);
    await guest.send(['HOST'], text('Hello'));
    await settle();
    expect(copy.number).toBe(4n);
    expect(observed.map(({ ours }) => ours)).toEqual([
      ...[false, false, false, false],
      ...[true, false],
    ]);
  });

  it('are not claimed when they were seen before the call was made', async () => {
    const { outbox, guest, intents, journal, timeIsOver } =
      await makeOutboxWorld();
    const sent = outbox.deliver(sendDraft('Same'), async (intent) => {
      await journal(intent);
      await guest.send(['HOST'], text('Same'));
      const [twin] = await guest.listMessages();
      if (twin !== undefined) outbox.observe(twin);
    });
    await settle();
    timeIsOver();
    expect((await sent).number).toBe(1n);
    expect(intents).toMatchObject([{ watermark: -1n }]);
  });

  it('are told apart by their values, and by the names of these', async () => {
    const { outbox, journal, follow, guest, hob } = await makeOutboxWorld();
    follow();
    for (const name of ['one', 'two']) await guest.storeValue(name, [name]);
    const parcel = (edge: string, name: string): Parcel =>
      harden({
        ...{ strings: ['It is ', ''], edgeNames: [edge] },
        petNames: [[name]],
      });
    const draft = harden({
      ...{ type: 'send' as const, key: 'call-1', to: ['HOST'] },
      parcel: parcel('v', 'one'),
    });
    hob.control.delay = async (method) => {
      if (method !== 'send') return;
      hob.control.delay = undefined;
      await guest.send(['HOST'], parcel('v', 'two'));
      await guest.send(['HOST'], parcel('w', 'one'));
    };
    const copy = await outbox.deliver(draft, journal);
    expect(copy.number).toBe(2n);
  });
});

describe('after a restart', () => {
  const nobody = (): boolean => false;

  it('the copy of what had left is found, and is an own one from then on', async () => {
    const { outbox, journal, intents, follow, restart } =
      await makeOutboxWorld();
    follow();
    const copy = await outbox.deliver(sendDraft('Hello'), journal);
    const [intent] = intents;
    if (intent === undefined) throw Error('No intent');
    const later = await restart();
    expect(later.observe(copy)).toBe(false);
    expect(await later.trace(intent, nobody)).toEqual(copy);
    expect(later.observe(copy)).toBe(true);
  });

  it('there is no trace of what never left, nor of what was there before', async () => {
    const { guest, outbox, follow, intents, restart } = await makeOutboxWorld();
    follow();
    await guest.send(['HOST'], text('Hello'));
    await settle();
    await rejection(
      outbox.deliver(sendDraft('Hello'), (intent) => {
        (intents as unknown[]).push(intent);
        return Promise.reject(Error('crash'));
      }),
    );
    const [intent] = intents;
    if (intent === undefined) throw Error('No intent');
    const later = await restart();
    expect(await later.trace(intent, nobody)).toBeUndefined();
  });

  it('two intents of the same text find two copies, and a third finds none', async () => {
    const { outbox, journal, intents, follow, restart } =
      await makeOutboxWorld();
    follow();
    for (const key of ['a', 'b']) {
      await outbox.deliver(sendDraft('Same', key), journal);
    }
    const [first] = intents;
    if (first === undefined) throw Error('No intent');
    const later = await restart();
    const traces = [
      await later.trace(first, nobody),
      await later.trace(first, nobody),
      await later.trace(first, nobody),
    ];
    expect(traces.map((mail) => mail?.number)).toEqual([0n, 1n, undefined]);
  });

  it('a copy that is on record as another’s is no trace', async () => {
    const { outbox, journal, intents, follow, restart } =
      await makeOutboxWorld();
    follow();
    const copy = await outbox.deliver(sendDraft('Same'), journal);
    const [intent] = intents;
    if (intent === undefined) throw Error('No intent');
    const later = await restart();
    const trace = later.trace(intent, (id) => id === copy.messageId);
    expect(await trace).toBeUndefined();
  });

  it('what leaves anew is no trace of what an earlier one meant to send', async () => {
    const { outbox, intents, restart, timeIsOver, journal } =
      await makeOutboxWorld();
    const crash = rejection(
      outbox.deliver(sendDraft('Same'), async (intent) => {
        await journal(intent);
        throw Error('crash');
      }),
    );
    await crash;
    const [intent] = intents;
    if (intent === undefined) throw Error('No intent');
    const later = await restart();
    const sent = later.deliver(sendDraft('Same'), journal);
    await settle();
    const traced = later.trace(intent, nobody);
    await settle();
    timeIsOver();
    expect((await sent).number).toBe(0n);
    expect(await traced).toBeUndefined();
  });

  it('a trace that cannot be looked for is no answer', async () => {
    const { outbox, journal, intents, follow, hob } = await makeOutboxWorld();
    follow();
    await outbox.deliver(sendDraft('Hello'), journal);
    const [intent] = intents;
    if (intent === undefined) throw Error('No intent');
    hob.control.failNext('listMessages', Error('no listing'));
    await expect(outbox.trace(intent, nobody)).rejects.toThrow('no listing');
  });
});
