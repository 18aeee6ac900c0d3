import { expect, it } from 'vitest';

import { makeOutbound } from '../../src/agent/outbound.ts';
import type { PackageMail } from '../../src/endo/guest.ts';

const mail = (strings: readonly string[], replyTo?: string): PackageMail => ({
  type: 'package',
  number: 1n,
  messageId: 'own',
  from: 'self',
  to: 'bob',
  date: '2026-01-01T00:00:00.000Z',
  strings,
  names: [],
  ids: [],
  ...(replyTo === undefined ? {} : { replyTo }),
});

const expected = (text: string, turn: string, replyTo?: string) => ({
  parcel: { strings: [text], edgeNames: [] },
  replyTo,
  turn: { messageId: turn, correspondent: 'host' },
});

it('claims a copy for the turn that sent it, and only once', () => {
  const outbound = makeOutbound();
  outbound.expect(expected('Hello', 'turn-1'));
  expect(outbound.claim(mail(['Hello']))?.turn?.messageId).toBe('turn-1');
  expect(outbound.claim(mail(['Hello']))).toBeUndefined();
});

it('claims equal messages of two turns in the order in which they were sent', () => {
  const outbound = makeOutbound();
  outbound.expect(expected('Same', 'turn-1'));
  outbound.expect(expected('Same', 'turn-2'));
  expect(outbound.claim(mail(['Same']))?.turn?.messageId).toBe('turn-1');
  expect(outbound.claim(mail(['Same']))?.turn?.messageId).toBe('turn-2');
});

it('tells a reply from a message of the same text, and one thread from another', () => {
  const outbound = makeOutbound();
  outbound.expect(expected('Same', 'turn-1', 'question'));
  expect(outbound.claim(mail(['Same']))).toBeUndefined();
  expect(outbound.claim(mail(['Same'], 'other'))).toBeUndefined();
  expect(outbound.claim(mail(['Same'], 'question'))).toBeDefined();
});

it('does not claim what failed to be sent', () => {
  const outbound = makeOutbound();
  const forget = outbound.expect(expected('Lost', 'turn-1'));
  forget();
  expect(outbound.claim(mail(['Lost']))).toBeUndefined();
});
