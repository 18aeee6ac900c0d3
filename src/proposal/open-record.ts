/** A message, as far as it must be found again. */
export type MessageRef = {
  readonly messageId: string;
  readonly number: bigint;
};

/**
 * An open proposal or request, as it is kept under `hob-open-<messageId>`
 * until its outcome has been told.
 */
export type OpenRecord = MessageRef & {
  readonly version: 1;
  readonly kind: 'proposal' | 'request';
  /** Handle id of whom the turn served that asked. */
  readonly correspondent: string;
  /** Handle id of whom it was put to. */
  readonly decider: string;
  /** The node of that turn; `null` when a crash left nobody to know it. */
  readonly askedBy: string | null;
  /** The newest settled node of its line of conversation. */
  readonly tip: string | null;
  /** The message that the line answers, and that the outcome is told to. */
  readonly answers: MessageRef | null;
  /** What was asked, in short: the beginning of the source, or the description. */
  readonly asked: string;
  /** Name for the result or the answer, as `a/b`. */
  readonly resultName: string | null;
  /** Formula id of the result or the answer. */
  readonly answerId: string | null;
};

const PREFIX = 'hob-open-';

export const openRecordName = (messageId: string): string =>
  `${PREFIX}${messageId}`;
harden(openRecordName);

/** `undefined` for names of anything else. */
export const messageIdOfRecord = (name: string): string | undefined =>
  name.startsWith(PREFIX) ? name.slice(PREFIX.length) : undefined;
harden(messageIdOfRecord);

type Fields = { readonly [key: string]: unknown };

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === 'string';

const isMessageRef = (value: unknown): value is MessageRef => {
  const { messageId, number } = (value ?? {}) as Fields;
  return typeof messageId === 'string' && typeof number === 'bigint';
};

/**
 * A record as it was stored.
 *
 * @throws Error on a record of a later version, or one that is damaged
 */
export const parseOpenRecord = (stored: unknown): OpenRecord => {
  const fields = (stored ?? {}) as Fields;
  if (fields['version'] !== 1) {
    throw Error(
      `The record of an open proposal has version ${String(fields['version'])}; this Hob reads version 1`,
    );
  }
  const {
    kind,
    correspondent,
    decider,
    askedBy,
    tip,
    answers,
    asked,
    resultName,
  } = fields;
  const isSound =
    isMessageRef(stored) &&
    (kind === 'proposal' || kind === 'request') &&
    typeof correspondent === 'string' &&
    typeof decider === 'string' &&
    typeof asked === 'string' &&
    [askedBy, tip, resultName, fields['answerId']].every(isTextOrNull) &&
    (answers === null || isMessageRef(answers));
  if (!isSound) throw Error('The record of an open proposal is damaged');
  return harden({ ...(stored as unknown as OpenRecord) });
};
harden(parseOpenRecord);
