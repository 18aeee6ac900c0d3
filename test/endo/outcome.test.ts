import { expect, it } from 'vitest';

import { outcomeOfRejection } from '../../src/endo/outcome.ts';

const BY = 'ab'.repeat(32);
const WORDS = `countered by message ${BY}`;

it.each([
  ['open', WORDS, { type: 'countered', by: BY }],
  ['open', `${WORDS}, or so`, { type: 'rejected', reason: `${WORDS}, or so` }],
  ['rejected', WORDS, { type: 'rejected', reason: WORDS }],
  ['lost', 'stopped', { type: 'lost', reason: 'stopped' }],
  [
    'open',
    'lost: the daemon was stopped while it ran',
    { type: 'lost', reason: 'lost: the daemon was stopped while it ran' },
  ],
  [
    'failed',
    `granted, but the code failed: ${WORDS}`,
    { type: 'failed', error: WORDS },
  ],
  // Where no state is kept, nobody can reject: the code has thrown.
  [undefined, 'boom', { type: 'failed', error: 'boom' }],
  [undefined, WORDS, { type: 'failed', error: WORDS }],
] as const)('of a proposal that is %s, by %j', (state, reason, outcome) => {
  expect(outcomeOfRejection('proposal', reason, { state })).toEqual(outcome);
});

it('believes the daemon and not the words, of who countered', () => {
  expect(
    outcomeOfRejection('proposal', WORDS, {
      state: 'countered',
      counteredBy: 'cd'.repeat(32),
    }),
  ).toEqual({ type: 'countered', by: 'cd'.repeat(32) });
});

it('of a request is a rejection, whatever is said', () => {
  expect(outcomeOfRejection('request', WORDS, { state: 'open' })).toEqual({
    type: 'rejected',
    reason: WORDS,
  });
});
