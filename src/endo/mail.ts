import type { Mail, MailBase, OtherMail } from './guest.ts';

/**
 * What comes from the daemon is data until it has been read here: known fields
 * are taken, everything else (promises, dismissers, responders) is left behind.
 */

const MESSAGE_ID = /^[0-9a-f]{64}$/u;

type Fields = { readonly [key: string]: unknown };

const asFields = (raw: unknown): Fields => {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    throw new TypeError('Cannot read a message: it is not a record');
  }
  return raw as Fields;
};

const textField = (fields: Fields, key: string): string => {
  const value = fields[key];
  if (typeof value !== 'string') {
    throw new TypeError(`Cannot read a message: its ${key} is not a string`);
  }
  return value;
};

const textsField = (fields: Fields, key: string): readonly string[] => {
  const value = fields[key];
  if (
    !Array.isArray(value) ||
    !value.every((item): item is string => typeof item === 'string')
  ) {
    throw new TypeError(
      `Cannot read a message: its ${key} is not a list of strings`,
    );
  }
  return [...value];
};

const messageIdField = (fields: Fields, key: string): string => {
  const value = textField(fields, key);
  if (!MESSAGE_ID.test(value)) {
    throw new TypeError(
      `Cannot read a message: its ${key} is not 64 hexadecimal digits`,
    );
  }
  return value;
};

const parseBase = (fields: Fields): MailBase => {
  const { number } = fields;
  if (typeof number !== 'bigint' || number < 0n) {
    throw new TypeError(
      'Cannot read a message: its number is not a non-negative bigint',
    );
  }
  const base = {
    number,
    messageId: messageIdField(fields, 'messageId'),
    from: textField(fields, 'from'),
    to: textField(fields, 'to'),
    date: textField(fields, 'date'),
  };
  return fields.replyTo === undefined
    ? base
    : { ...base, replyTo: messageIdField(fields, 'replyTo') };
};

const parsePackage = (base: MailBase, fields: Fields): Mail => {
  const strings = textsField(fields, 'strings');
  const names = textsField(fields, 'names');
  const ids = textsField(fields, 'ids');
  if (names.length !== ids.length || strings.length < names.length) {
    throw new TypeError(
      `Cannot read a message: ${strings.length} strings, ${names.length} names and ${ids.length} ids do not fit together`,
    );
  }
  return { ...base, type: 'package', strings, names, ids };
};

const otherMail = (base: MailBase, kind: string): OtherMail => ({
  ...base,
  type: 'other',
  kind,
});

/**
 * Reads a message as a daemon hands it out. A type that Hob does not know comes
 * back as `other`.
 *
 * @throws TypeError naming the field that is missing or of the wrong kind
 */
export const parseMail = (raw: unknown): Mail => {
  const fields = asFields(raw);
  const base = parseBase(fields);
  const type = textField(fields, 'type');
  switch (type) {
    case 'package':
      return harden(parsePackage(base, fields));
    case 'request': {
      const description = textField(fields, 'description');
      return harden({ ...base, type, description });
    }
    default:
      return harden(otherMail(base, type));
  }
};
harden(parseMail);

/**
 * As `parseMail`, for whole mailboxes: a message whose envelope is sound and
 * whose content is not comes back as `other`, so that one bad message does not
 * hide all the others.
 *
 * @throws TypeError when the envelope itself cannot be read
 */
export const readMail = (raw: unknown): Mail => {
  const fields = asFields(raw);
  const base = parseBase(fields);
  try {
    return parseMail(raw);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const type = typeof fields.type === 'string' ? fields.type : 'untyped';
    return harden(otherMail(base, `malformed ${type}`));
  }
};
harden(readMail);
