import { makePromiseKit } from '@endo/promise-kit';
import { describe, expect, it } from 'vitest';
import type { Mail } from '../../src/endo/guest.ts';
import { UnseenCopyError } from '../../src/endo/unseen-copy.ts';
import {
  makeOutboxWorld,
  numbersOf,
  proposalDraft,
  rejection,
  replyDraft,
  sendDraft,
  settle,
  text,
} from './outbox-world.ts';

describe('a copy is found', () => {
  it('though the call is never answered', async () => {
    const { outbox, journal, follow, hob, timers } = await makeOutboxWorld();
    follow();
    hob.control.loseAnswer('send');
    const copy = await outbox.deliver(sendDraft('Hello'), journal);
    expect(copy.number).toBe(0n);
    expect(timers()).toBe(0);
  });

  it('though the call says that it failed', async () => {
    const { outbox, journal, hob, guest } = await makeOutboxWorld();
    hob.control.delay = async (method) => {
      if (method !== 'send') return;
      hob.control.delay = undefined;
      await guest.send(['HOST'], text('Hello'));
      throw Error('the connection was lost');
    };
    const copy = await outbox.deliver(sendDraft('Hello'), journal);
    expect(copy.number).toBe(0n);
  });

  it('that comes after the answer', async () => {
    const { outbox, journal, follow, hob } = await makeOutboxWorld();
    follow();
    let arrive = (): void => undefined;
    hob.control.ownCopy = (run) => {
      arrive = run;
    };
    const sent = outbox.deliver(sendDraft('Hello'), journal);
    await settle();
    arrive();
    expect((await sent).number).toBe(0n);
  });

  it('in the mailbox when it does not come by the stream in time', async () => {
    const { outbox, journal, timeIsOver } = await makeOutboxWorld();
    const sent = outbox.deliver(sendDraft('Hello'), journal);
    await settle();
    timeIsOver();
    const copy = await sent;
    // The stream shows it all the same, after another of the same text.
    const next = outbox.deliver(sendDraft('Hello'), journal);
    expect(outbox.observe(copy)).toBe(true);
    await settle();
    timeIsOver();
    expect((await next).number).toBe(copy.number + 1n);
  });

  it('in a younger listing when the call has ended during the first', async () => {
    const world = await makeOutboxWorld();
    const { outbox, journal, hob, timeIsOver } = world;
    const leaving = makePromiseKit<undefined>();
    const listing = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? leaving.promise : Promise.resolve();
    world.hold = () => listing.promise;
    const sent = outbox.deliver(sendDraft('Hello'), journal);
    await settle();
    timeIsOver();
    await settle();
    leaving.resolve(undefined);
    await settle();
    listing.resolve(undefined);
    expect((await sent).number).toBe(0n);
  });

  it('of a proposal that is decided before it is seen', async () => {
    const { outbox, journal, host } = await makeOutboxWorld();
    const proposed = outbox.deliver(proposalDraft('throw 1'), journal);
    await settle();
    const [review] = await host.listMessages();
    await host.reject(review?.number ?? -1n, 'no');
    expect(await proposed).toMatchObject({ type: 'proposal' });
  });
});

const aMail = (): Promise<Mail> =>
  Promise.resolve(
    harden({
      ...{ type: 'package', number: 0n, messageId: '1'.repeat(64) },
      ...{ from: 'somebody', to: 'me', date: '2026-01-01T00:00:00.000Z' },
      ...{ strings: ['Hi'], names: [], ids: [] },
    } as const),
  );

describe('a copy that is not found', () => {
  it('is reported as sent when the daemon took the message', async () => {
    const { outbox, journal, follow, hob, timeIsOver } =
      await makeOutboxWorld();
    follow();
    hob.control.ownCopy = () => undefined;
    const failure = rejection(outbox.deliver(sendDraft('Hello'), journal));
    await settle();
    timeIsOver();
    expect(await failure).toBeInstanceOf(UnseenCopyError);
    expect(await failure).toMatchObject({ accepted: true });
  });

  it('is reported as unknown when the daemon does not answer either', async () => {
    const { outbox, journal, follow, hob, timeIsOver } =
      await makeOutboxWorld();
    follow();
    const { promise: never } = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? never : Promise.resolve();
    const failure = rejection(outbox.deliver(sendDraft('Hello'), journal));
    await settle();
    timeIsOver();
    expect(await failure).toMatchObject({ accepted: false });
  });

  it('is reported when the mailbox cannot be listed either', async () => {
    const { outbox, journal, hob, timeIsOver } = await makeOutboxWorld();
    const { promise: never } = makePromiseKit<undefined>();
    hob.control.delay = () => never;
    const failure = rejection(
      outbox.deliver(replyDraft(await aMail(), 'Hi'), journal),
    );
    await settle();
    timeIsOver();
    await settle();
    timeIsOver();
    expect(await failure).toMatchObject({
      accepted: false,
      cause: Error('The daemon does not list the mailbox'),
    });
  });

  it('is claimed when it comes after all, and not for the next of the same text', async () => {
    const { outbox, journal, follow, hob, guest, timeIsOver } =
      await makeOutboxWorld();
    follow();
    const gate = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? gate.promise : Promise.resolve();
    const late: Mail[] = [];
    const failure = rejection(
      outbox.deliver(sendDraft('Same'), journal, (mail) => late.push(mail)),
    );
    await settle();
    timeIsOver();
    expect(await failure).toMatchObject({ accepted: false });
    const next = outbox.deliver(sendDraft('Same'), journal);
    await settle();
    gate.resolve(undefined);
    const copy = await next;
    expect(numbersOf([...late, copy])).toEqual([0n, 1n]);
    expect(await guest.listMessages()).toHaveLength(2);
  });

  it('is claimed when it comes though no listing could be had', async () => {
    const { outbox, journal, follow, hob, timeIsOver } =
      await makeOutboxWorld();
    follow();
    const gate = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? gate.promise : Promise.resolve();
    let arrive = (): void => undefined;
    hob.control.ownCopy = (run) => {
      arrive = run;
    };
    const late: Mail[] = [];
    const failure = rejection(
      outbox.deliver(sendDraft('Same'), journal, (mail) => late.push(mail)),
    );
    await settle();
    timeIsOver();
    expect(await failure).toMatchObject({ accepted: false });
    hob.control.failNext('listMessages');
    gate.resolve(undefined);
    await settle();
    arrive();
    await settle();
    expect(numbersOf(late)).toEqual([0n]);
  });

  it('is not awaited any more once the call has ended, and a listing has none', async () => {
    const { outbox, journal, follow, hob, timeIsOver } =
      await makeOutboxWorld();
    follow();
    const gate = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? gate.promise : Promise.resolve();
    hob.control.ownCopy = () => undefined;
    const failure = rejection(outbox.deliver(sendDraft('Same'), journal));
    await settle();
    timeIsOver();
    expect(await failure).toMatchObject({ accepted: false });
    gate.resolve(undefined);
    await settle();
    hob.control.ownCopy = undefined;
    const next = await outbox.deliver(sendDraft('Same'), journal);
    expect(next.number).toBe(0n);
  });

  it('is not awaited any more once the call was refused', async () => {
    const { outbox, journal, hob, timeIsOver } = await makeOutboxWorld();
    const gate = makePromiseKit<undefined>();
    hob.control.delay = (method) =>
      method === 'send' ? gate.promise : Promise.resolve();
    hob.control.failNext('send', Error('refused at last'));
    const failure = rejection(outbox.deliver(sendDraft('Same'), journal));
    await settle();
    timeIsOver();
    expect(await failure).toMatchObject({ accepted: false });
    gate.resolve(undefined);
    await settle();
    const next = outbox.deliver(sendDraft('Same'), journal);
    await settle();
    timeIsOver();
    expect((await next).number).toBe(0n);
  });
});

describe('a copy that is seen', () => {
  it('is told before anything later in the mailbox is looked at', async () => {
    const { outbox, journal, guest } = await makeOutboxWorld();
    const seen: string[] = [];
    const sent = outbox.deliver(sendDraft('Hello'), journal, () => {
      seen.push('copy');
    });
    await settle();
    const [copy] = await guest.listMessages();
    if (copy === undefined) throw Error('No copy');
    outbox.observe(copy);
    seen.push('later');
    await sent;
    expect(seen).toEqual(['copy', 'later']);
  });

  it('ends the wait of a reply that came before it', async () => {
    const { outbox, journal, follow, hob, host } = await makeOutboxWorld();
    follow();
    let arrive = (): void => undefined;
    hob.control.ownCopy = (run) => {
      arrive = run;
    };
    const steps: string[] = [];
    const sent = outbox.deliver(sendDraft('Ping'), journal, () => {
      steps.push('copy');
    });
    await settle();
    const [ping] = await host.listMessages();
    await host.reply(ping?.number ?? -1n, text('Pong'));
    const idle = outbox.idle().then(() => steps.push('idle'));
    await settle();
    expect(steps).toEqual([]);
    arrive();
    await Promise.all([sent, idle]);
    expect(steps).toEqual(['copy', 'idle']);
  });

  it('leaves nothing under way, and nor does a failure', async () => {
    const { outbox, journal, hob } = await makeOutboxWorld();
    await outbox.idle();
    hob.control.failNext('send');
    await rejection(outbox.deliver(sendDraft('Hi'), journal));
    await outbox.idle();
    expect(hob.control.calls['send']).toBe(1);
  });
});
