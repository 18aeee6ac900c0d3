import { describe, expect, it } from 'vitest';

import { makeLedger } from '../../src/agent/ledger.ts';
import { mayDismiss } from '../../src/agent/putting-away.ts';
import type { MailBase } from '../../src/endo/guest.ts';

describe('the ledger of a turn', () => {
  it('ends with a message when the last call sent one to the correspondent', () => {
    const ledger = makeLedger();
    ledger.noteMessage(true);
    ledger.noteCall({ name: 'reply', ok: true, changes: true });
    ledger.noteCall({ name: 'dismiss', ok: true, changes: true });
    expect(ledger.endedWithMessage()).toBe(true);
    ledger.noteCall({ name: 'list', ok: true, changes: false });
    expect(ledger.endedWithMessage()).toBe(false);
  });

  it('does not take a message that went through late for another one', () => {
    const ledger = makeLedger();
    const late = { name: 'reply', ok: false, changes: true, inDoubt: true };
    ledger.noteCall(late);
    ledger.noteMessage(true);
    ledger.noteMessage(false);
    ledger.noteCall({ name: 'send', ok: true, changes: true });
    expect(ledger.endedWithMessage()).toBe(false);
  });

  it('names what was done, how often, and what may have been done', () => {
    const ledger = makeLedger();
    ledger.noteCall({ name: 'store', ok: true, changes: true });
    ledger.noteCall({ name: 'store', ok: true, changes: true });
    ledger.noteCall({ name: 'list', ok: true, changes: false });
    ledger.noteCall({ name: 'remove', ok: false, changes: true });
    const doubt = { ok: false, changes: true, inDoubt: true };
    ledger.noteCall({ name: 'send', ...doubt });
    expect(ledger.done()).toEqual(['store ×2', 'send (outcome unknown)']);
  });
});

describe('a message that was answered', () => {
  const base: MailBase = {
    number: 4n,
    messageId: 'm',
    from: 'bob',
    to: 'self',
    date: '2026-01-01T00:00:00.000Z',
  };
  const bringing = (...names: readonly string[]) =>
    ({ ...base, type: 'package', strings: [''], names, ids: names }) as const;

  it('may be put away once all its values are named', () => {
    const ledger = makeLedger();
    expect(mayDismiss(bringing(), ledger)).toBe(true);
    ledger.noteAdopted(4n, 'a');
    ledger.noteAdopted(5n, 'b');
    expect(mayDismiss(bringing('a'), ledger)).toBe(true);
    expect(mayDismiss(bringing('a', 'b'), ledger)).toBe(false);
  });

  it('stays while it asks for a value', () => {
    const mail = { ...base, type: 'request', description: 'a pen' } as const;
    const ledger = makeLedger();
    expect(mayDismiss(mail, ledger)).toBe(false);
    ledger.noteDecided(base.number);
    expect(mayDismiss(mail, ledger)).toBe(true);
  });

  it('may be put away when it is of another kind', () => {
    const mail = { ...base, type: 'other', kind: 'definition' } as const;
    expect(mayDismiss(mail, makeLedger())).toBe(true);
  });
});
