import { E } from '@endo/far';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeGenerationAGuest } from '../../src/endo/generation-a.ts';
import type { Draft } from '../../src/endo/draft.ts';
import type { Guest, Mail } from '../../src/endo/guest.ts';
import type { Intent } from '../../src/endo/intent.ts';
import { type Outbox, makeOutbox } from '../../src/endo/outbox.ts';
import { provideContractWorld } from '../contract/world.ts';
import { startTestDaemon } from '../support/daemon.ts';
import {
  proposalDraft,
  requestDraft,
  sendDraft,
  text,
} from './outbox-world.ts';

let stop: () => Promise<void> = () => Promise.resolve();
let guest: Guest;
let host: unknown;
let outbox: Outbox;
const intents: Intent[] = [];

const makeOutboxNow = async (): Promise<Outbox> =>
  makeOutbox({
    guest,
    identity: await guest.identity(),
    present: await guest.listMessages(),
    assertMay: () => Promise.resolve(),
    startTimer: (delayMs, fire) => {
      const timer = setTimeout(fire, delayMs);
      return () => clearTimeout(timer);
    },
  });

beforeAll(async () => {
  const daemon = await startTestDaemon();
  stop = daemon.stop;
  ({ host } = await daemon.client());
  const world = await provideContractWorld(host, 'outbox');
  guest = makeGenerationAGuest(world.guest);
  outbox = await makeOutboxNow();
  const messages = guest.followMessages();
  const follow = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await messages.next();
      if (done === true) return;
      outbox.observe(value);
    }
  };
  follow().catch(() => {
    // The daemon has stopped, at the end of the tests.
  });
});
afterAll(() => stop());

const journal = (intent: Intent): Promise<void> => {
  intents.push(intent);
  return Promise.resolve();
};

it('every kind of mail is known by its copy, whatever others send at once', async () => {
  await guest.storeValue(harden({ a: 1 }), ['note']);
  const withValue = harden({
    ...{ type: 'send' as const, key: 'value', to: ['HOST'] },
    parcel: {
      ...{ strings: ['[see] ', ' \u2028'], edgeNames: ['note'] },
      petNames: [['note']],
    },
  });
  const withCode = harden({
    ...{ type: 'proposal' as const, key: 'code', source: 'note.a + 1' },
    ...{ codeNames: ['note'], petNames: [['note']], resultName: ['sum'] },
  });
  const drafts = [
    ...[sendDraft('Same'), withValue, proposalDraft('1 + 1')],
    ...[requestDraft('A file', 'file'), sendDraft('Same'), withCode],
  ];
  const foreign = ['Other', 'Same!', 'Same'].map((words) =>
    guest.send(['HOST'], text(words)),
  );
  const copies = await Promise.all(
    drafts.map((draft) => outbox.deliver(draft, journal)),
  );
  await Promise.all(foreign);
  const kinds = copies.map(({ type }) => type);
  expect(kinds).toEqual([
    ...['package', 'package', 'proposal'],
    ...['request', 'package', 'proposal'],
  ]);
  expect(copies.at(-1)).toMatchObject({ resultName: ['sum'] });
  expect(new Set(copies.map(({ messageId }) => messageId)).size).toBe(6);
  expect(await guest.listMessages()).toHaveLength(9);

  const later = await makeOutboxNow();
  const traces: (Mail | undefined)[] = [];
  for (const intent of intents) {
    traces.push(await later.trace(intent, () => false));
  }
  const idsOf = (mail: readonly (Mail | undefined)[]) =>
    mail.map((each) => each?.messageId);
  expect(idsOf(traces)).toEqual(idsOf(copies));
});

it('what the daemon refuses rejects at once, with its words', async () => {
  const tooLong = sendDraft('x'.repeat(1_000_001));
  await expect(outbox.deliver(tooLong, journal)).rejects.toThrow(
    /^Cannot send to "HOST"/u,
  );
  const next = await outbox.deliver(sendDraft('Short'), journal);
  expect(next).toMatchObject({ strings: ['Short'] });
});

type SendingHost = {
  readonly send: (
    to: string,
    strings: readonly string[],
    edgeNames: readonly string[],
    petNames: readonly string[],
  ) => Promise<void>;
};

it('what goes to an agent by its own name, and not by that of its handle, is known as well', async () => {
  await E(host as SendingHost).send(
    ...(['contract-guest-outbox', harden(['', ''])] as const),
    ...([harden(['it']), harden(['contract-other-outbox-agent'])] as const),
  );
  const gift = (await guest.listMessages()).at(-1);
  if (gift === undefined) throw Error('No gift');
  await guest.adopt(gift.number, 'it', ['agent']);
  const drafts = harden([
    { ...sendDraft('By name'), to: ['agent'] },
    { ...requestDraft('A pen', 'pen'), to: ['agent'] },
  ]) as readonly [Draft, Draft];
  for (const draft of drafts) {
    const copy = await outbox.deliver(draft, journal);
    const intent = intents.at(-1);
    if (intent === undefined) throw Error('No intent');
    const later = await makeOutboxNow();
    expect(await later.trace(intent, () => false)).toEqual(copy);
  }
});
