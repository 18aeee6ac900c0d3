import { expect, it } from 'vitest';

import { makeLines } from '../../src/agent/lines.ts';
import { makeRouter } from '../../src/agent/router.ts';
import type { PackageMail } from '../../src/endo/guest.ts';
import { makeMemoryTranscriptStore } from '../../src/transcript/store.ts';

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
const nothingOpen = { lines: makeLines(), openBy: () => undefined };
const turn = { messageId: 'turn', correspondent: 'host' };

const answerFrom = (from: string): PackageMail => ({
  ...sent,
  messageId: `answer-of-${from}`,
  from,
  to: 'self',
  replyTo: 'question',
});

it('shows what was sent on another’s behalf to whom it was sent', async () => {
  const router = makeRouter(makeMemoryTranscriptStore(), nothingOpen);
  await router.sent(sent, turn);
  expect(await router.route(answerFrom('bob'))).toMatchObject({
    type: 'answer-to-sent',
    sent: '"for Bob alone"',
    turn,
  });
});

it('shows it to nobody else, who may have heard of its id', async () => {
  const router = makeRouter(makeMemoryTranscriptStore(), nothingOpen);
  await router.sent(sent, turn);
  expect(await router.route(answerFrom('eve'))).toEqual({ type: 'root' });
});

it('lets nobody wait for a turn that serves somebody else', async () => {
  const router = makeRouter(makeMemoryTranscriptStore(), nothingOpen);
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
  const router = makeRouter(makeMemoryTranscriptStore(), {
    lines: makeLines(),
    openBy: (messageId) => (messageId === 'question' ? 'host' : undefined),
  });
  expect(await router.parentOf(answerFrom('bob'))).toBeNull();
  expect(await router.parentOf(answerFrom('host'))).toBe('question');
});

it('nor whoever answers a node of another', async () => {
  const store = makeMemoryTranscriptStore();
  await store.put({
    messageId: 'question',
    parentMessageId: null,
    messages: [{ role: 'user', content: 'x' }],
    correspondent: 'host',
    exchanges: 1,
    unattended: 0,
    failed: false,
  });
  const router = makeRouter(store, nothingOpen);
  expect(await router.parentOf(answerFrom('bob'))).toBeNull();
  expect(await router.parentOf(answerFrom('host'))).toBe('question');
});
