import type { Mail } from './guest.ts';

/** What is about to leave: enough to know its copy again. */
export type Intent = {
  /** The id of the tool call that wants it, or `closing`. */
  readonly key: string;
  readonly type: 'package' | 'request' | 'proposal';
  /** The highest number of an own message before; -1 when there was none. */
  readonly watermark: bigint;
  /** Handle id, where the name that it goes to is one of a handle. */
  readonly to?: string;
  readonly replyTo?: string;
  /** A package's text; a request's description; a proposal's source. */
  readonly strings: readonly string[];
  /** Edge names of a package, code names of a proposal. */
  readonly names: readonly string[];
  /** Of the values, in the order of the names. */
  readonly ids: readonly string[];
};

type Content = Pick<Intent, 'strings' | 'names' | 'ids'>;

/** What a message says, in the words of an intent of the same type. */
const contentOf = (mail: Mail): Content | undefined => {
  switch (mail.type) {
    case 'package':
      return mail;
    case 'request':
      return { strings: [mail.description], names: [], ids: [] };
    case 'proposal':
      return { strings: [mail.source], names: mail.codeNames, ids: mail.ids };
    default:
      return undefined;
  }
};

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);

/**
 * Whether an own message can be what the intent says. Of two that say the same,
 * each can be: whoever claims one sees to it that nobody else does.
 */
export const isCopyOf = (intent: Intent, mail: Mail): boolean => {
  const content = contentOf(mail);
  return (
    content !== undefined &&
    mail.type === intent.type &&
    mail.number > intent.watermark &&
    (intent.to === undefined || mail.to === intent.to) &&
    mail.replyTo === intent.replyTo &&
    sameList(content.strings, intent.strings) &&
    sameList(content.names, intent.names) &&
    sameList(content.ids, intent.ids)
  );
};
harden(isCopyOf);
