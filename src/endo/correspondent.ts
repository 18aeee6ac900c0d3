import type { Directory, GuestIdentity, Mail } from './guest.ts';
import { quoteAscii, quoteText } from './quote.ts';

/** Words that a model takes for a party it knows. No pet name may pose as one. */
const RESERVED: ReadonlySet<string> = new Set([
  ...['host', 'self', 'agent', 'keypair', 'mail', 'you', 'me', 'hob'],
  ...['system', 'user', 'assistant', 'tool', 'developer', 'main', 'endo'],
]);

/** A longer name is not cut, for two names could be cut to one. */
const LONGEST_NAME = 64;

/** How senders are named to the model: from ids alone, never from what they say. */
export type Correspondents = {
  /** `HOST`, `you`, a quoted pet name such as `"bob"`, or `unknown-1a2b3c`. */
  readonly describe: (id: string) => Promise<string>;
  readonly isHost: (id: string) => boolean;
  readonly isSelf: (id: string) => boolean;
  /** The pet name that `describe` quotes, `undefined` when there is none fit. */
  readonly petName: (id: string) => Promise<string | undefined>;
};

const posesAsSpecial = (name: string): boolean =>
  RESERVED.has(
    name
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]/gu, ''),
  );

const byLengthThenLetters = (a: string, b: string): number =>
  a.length - b.length || (a < b ? -1 : 1);

const hexDigitsOf = (id: string): string =>
  /[0-9a-f]{6,}/u.exec(id)?.[0] ??
  Array.from(id, (char) => char.charCodeAt(0).toString(16))
    .join('')
    .padEnd(6, '0');

/** Short names for ids, no two alike as long as the ids differ. */
const makeShortNames = (): ((id: string) => string) => {
  const shortNames = new Map<string, string>();
  const owners = new Map<string, string>();
  return (id) => {
    const known = shortNames.get(id);
    if (known !== undefined) return known;
    const digits = hexDigitsOf(id);
    let short = `unknown-${digits.slice(0, 6)}`;
    for (let count = 2; owners.has(short); count += 1) {
      short = `unknown-${digits.slice(0, 6)}-${count}`;
    }
    owners.set(short, id);
    shortNames.set(id, short);
    return short;
  };
};

/**
 * @param directory - the guest's own, for its pet names
 * @param identity - which ids are the guest's and its HOST's
 */
export const makeCorrespondents = (
  directory: Pick<Directory, 'reverseIdentify'>,
  identity: GuestIdentity,
): Correspondents => {
  const shortName = makeShortNames();
  const isHost = (id: string): boolean => id === identity.host;
  const isSelf = (id: string): boolean => id === identity.self;

  const petName = async (id: string): Promise<string | undefined> => {
    const names = await directory.reverseIdentify(id);
    return names
      .filter(
        (name) =>
          name.length > 0 &&
          name.length <= LONGEST_NAME &&
          !identity.specialNames.includes(name) &&
          !posesAsSpecial(name),
      )
      .sort(byLengthThenLetters)
      .at(0);
  };

  const describe = async (id: string): Promise<string> => {
    if (isHost(id)) return 'HOST';
    if (isSelf(id)) return 'you';
    const name = await petName(id);
    return name === undefined ? shortName(id) : quoteAscii(name);
  };

  return harden({ describe, isHost, isSelf, petName });
};
harden(makeCorrespondents);

const shownEdgeName = (name: string): string =>
  /^[A-Za-z0-9][\w-]{0,127}$/u.test(name) ? `@${name}` : `@${quoteAscii(name)}`;

/**
 * The first line of a message for the model: `Message #9 from HOST`, or
 * `Message #9 from "bob" (values: @a, @b)`.
 *
 * @param sender - from `Correspondents.describe`
 */
export const messageHeader = (mail: Mail, sender: string): string => {
  const values =
    mail.type === 'package' && mail.names.length > 0
      ? ` (values: ${mail.names.map(shownEdgeName).join(', ')})`
      : '';
  return `Message #${String(mail.number)} from ${sender}${values}`;
};
harden(messageHeader);

/** What a message says, on one line, always within a JSON string. */
export const messageBody = (mail: Mail): string => {
  switch (mail.type) {
    case 'package': {
      const parts = mail.strings.flatMap((text, index) => {
        const name = mail.names[index];
        return name === undefined ? [text] : [text, `@${name}`];
      });
      return quoteText(parts.join(''));
    }
    case 'request':
      return `asks for a value: ${quoteText(mail.description)}`;
    case 'proposal':
    case 'review':
      return `proposes code: ${quoteText(mail.source)}`;
    case 'other':
      return `a message of type ${quoteAscii(mail.kind.slice(0, 100))}`;
  }
};
harden(messageBody);

/** Header and body: the whole message as the model reads it. */
export const messageText = (mail: Mail, sender: string): string =>
  `${messageHeader(mail, sender)}:\n${messageBody(mail)}`;
harden(messageText);
