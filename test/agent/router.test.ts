import { expect, it } from 'vitest';

import { makeLines } from '../../src/agent/lines.ts';
import { makeRouter, type RouterPowers } from '../../src/agent/router.ts';
import type { PackageMail } from '../../src/endo/guest.ts';
import { makeNode, makeStoreInMemory } from '../transcript/nodes.ts';

const sent: PackageMail = {
  type: 'package',
  number: 1n,
  messageId: 'question',
  from: 'self',
  to: 'bob',
  date: '2026-01-01T00:00:00.000Z',
  strings: ['for Bob alone'],
  names: [],
  ids: [],
};
const openRouter = (more: Partial<RouterPowers> = {}) =>
  makeRouter({
    store: makeStoreInMemory(),
    summaries: { get: () => Promise.resolve(undefined) },
    lines: makeLines(),
    openBy: () => undefined,
    whenSeen: () => Promise.resolve(),
    ...more,
  });
const turn = { messageId: 'turn', correspondent: 'host' };

const answerFrom = (from: string): PackageMail => ({
  ...sent,
  messageId: `answer-of-${from}`,
  from,
  to: 'self',
  replyTo: 'question',
});

it('shows what was sent on another’s behalf to whom it was sent', async () => {
  const router = openRouter();
  await router.sent(sent, turn);
  expect(await router.route(answerFrom('bob'))).toMatchObject({
    type: 'answer-to-sent',
    sent: '"for Bob alone"',
    turn,
  });
});

it('shows it to nobody else, who may have heard of its id', async () => {
  const router = openRouter();
  await router.sent(sent, turn);
  expect(await router.route(answerFrom('eve'))).toEqual({ type: 'root' });
});

it('lets nobody wait for a turn that serves somebody else', async () => {
  const router = openRouter();
  let settle: (() => void) | undefined;
  router.began(
    'turn',
    new Promise((resolve) => {
      settle = resolve;
    }),
  );
  await router.sent(sent, turn);
  expect(await router.route(answerFrom('bob'))).toMatchObject({
    type: 'answer-to-sent',
  });
  settle?.();
});

it('takes whoever answers what was asked of him for another into no line', async () => {
  const router = openRouter({
    openBy: (messageId) => (messageId === 'question' ? 'host' : undefined),
  });
  expect(await router.parentOf(answerFrom('bob'))).toBeNull();
  expect(await router.parentOf(answerFrom('host'))).toBe('question');
});

it('nor whoever answers a node of another', async () => {
  const store = makeStoreInMemory();
  await store.put({
    ...makeNode('question', null, 'x'),
    correspondent: 'host',
  });
  const router = openRouter({ store });
  expect(await router.parentOf(answerFrom('bob'))).toBeNull();
  expect(await router.parentOf(answerFrom('host'))).toBe('question');
});
