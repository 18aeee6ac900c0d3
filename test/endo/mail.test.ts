import { describe, expect, it } from 'vitest';
import { parseMail, readMail } from '../../src/endo/mail.ts';

const ID = 'ab'.repeat(32);
const envelope = {
  number: 3n,
  messageId: ID,
  from: 'f',
  to: 't',
  date: '2026-02-01T00:00:00.000Z',
};
const parcel = {
  ...envelope,
  type: 'package',
  strings: ['see ', ''],
  names: ['it'],
  ids: ['i'],
};

describe('reading a message', () => {
  it('keeps what Hob knows and drops the rest', () => {
    const raw = { ...parcel, dismissed: Promise.resolve(), dismisser: {} };
    expect(parseMail(raw)).toEqual(parcel);
  });

  it('keeps replyTo when there is one', () => {
    expect(parseMail({ ...parcel, replyTo: ID }).replyTo).toBe(ID);
    expect(
      Object.hasOwn(parseMail({ ...parcel, replyTo: undefined }), 'replyTo'),
    ).toBe(false);
  });

  it('reads a request', () => {
    const raw = { ...envelope, type: 'request', description: 'a clock' };
    const known = { ...raw, promiseId: 'p', state: 'open' };
    expect(parseMail({ ...known, resolverId: 'r' })).toEqual(known);
    expect(parseMail({ ...raw, state: 'unheard of' })).toEqual(raw);
  });

  it('reads any other type by its name', () => {
    expect(
      parseMail({ ...envelope, type: 'form-request', fields: {} }),
    ).toEqual({ ...envelope, type: 'other', kind: 'form-request' });
  });

  it('hands out hardened data', () => {
    const mail = parseMail(parcel);
    expect(Object.isFrozen(mail)).toBe(true);
    expect(mail.type === 'package' && Object.isFrozen(mail.strings)).toBe(true);
  });

  it.each([
    ['text', 'a record', 'hello'],
    ['nothing', 'a record', null],
    ['a number that is no bigint', 'number', { ...parcel, number: 3 }],
    ['a negative number', 'number', { ...parcel, number: -3n }],
    ['no sender', 'from', { ...parcel, from: undefined }],
    ['no date', 'date', { ...parcel, date: 5 }],
    ['a short messageId', 'messageId', { ...parcel, messageId: 'ab' }],
    ['an odd replyTo', 'replyTo', { ...parcel, replyTo: 'x' }],
    ['strings that are none', 'strings', { ...parcel, strings: [1] }],
    ['no names', 'names', { ...parcel, names: undefined }],
    ['a value without an id', 'fit together', { ...parcel, ids: [] }],
    ['a value without text', 'fit together', { ...parcel, strings: [] }],
    ['no description', 'description', { ...envelope, type: 'request' }],
    ['no type', 'type', envelope],
  ])('refuses %s, naming %s', (_what, named, raw) => {
    expect(() => parseMail(raw)).toThrow(named);
  });

  it('shows a malformed message by its envelope in a mailbox', () => {
    expect(readMail({ ...parcel, strings: [1] })).toEqual({
      ...envelope,
      type: 'other',
      kind: 'malformed package',
    });
    expect(() => readMail({ ...parcel, from: 7 })).toThrow('from');
  });
});
