import type {
  AskState,
  Mail,
  MailBase,
  NamePath,
  OtherMail,
  ProposalContent,
} from './guest.ts';

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

const STATES: readonly AskState[] = [
  ...(['open', 'running', 'granted', 'failed'] as const),
  ...(['rejected', 'countered', 'lost'] as const),
];

/** Left out by daemons that do not keep it, and no reason to refuse a message. */
const stateOf = ({ state }: Fields): { readonly state?: AskState } => {
  const known = STATES.find((each) => each === state);
  return known === undefined ? {} : { state: known };
};

const optionalText = <K extends string>(
  fields: Fields,
  key: K,
): { readonly [key in K]?: string } =>
  typeof fields[key] === 'string'
    ? ({ [key]: fields[key] } as { readonly [key in K]?: string })
    : {};

/** A name alone is a path of one. */
const pathsField = (fields: Fields, key: string): readonly NamePath[] => {
  const value = fields[key];
  if (!Array.isArray(value)) {
    throw new TypeError(`Cannot read a message: its ${key} is not a list`);
  }
  return value.map((_, index) =>
    typeof value[index] === 'string'
      ? [value[index]]
      : textsField(value as unknown as Fields, String(index)),
  );
};

const parseProposal = (fields: Fields): ProposalContent => {
  const codeNames = textsField(fields, 'codeNames');
  const ids = textsField(fields, 'ids');
  const petNamePaths = pathsField(fields, 'petNamePaths');
  const edgeNames = textsField(fields, 'edgeNames');
  const counts = [ids, petNamePaths, edgeNames].map(({ length }) => length);
  if (counts.some((count) => count !== codeNames.length)) {
    throw new TypeError(
      `Cannot read a message: ${codeNames.length} code names do not fit ${counts.join(', ')} values, pet names and edge names`,
    );
  }
  const [resultName] =
    fields.resultName === undefined
      ? []
      : pathsField({ resultName: [fields.resultName] }, 'resultName');
  return {
    source: textField(fields, 'source'),
    codeNames,
    ids,
    petNamePaths,
    edgeNames,
    ...(resultName === undefined ? {} : { resultName }),
    ...optionalText(fields, 'resultId'),
    ...stateOf(fields),
    ...(fields.counteredBy === undefined
      ? {}
      : { counteredBy: messageIdField(fields, 'counteredBy') }),
  };
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
      const answer = optionalText(fields, 'promiseId');
      return harden({
        ...base,
        type,
        description,
        ...answer,
        ...stateOf(fields),
      });
    }
    case 'eval-proposal-proposer':
      return harden({ ...base, type: 'proposal', ...parseProposal(fields) });
    case 'eval-proposal-reviewer':
      return harden({ ...base, type: 'review', ...parseProposal(fields) });
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
