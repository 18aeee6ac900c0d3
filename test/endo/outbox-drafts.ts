import type { Draft } from '../../src/endo/draft.ts';
import type { Mail } from '../../src/endo/guest.ts';

/** What the agent and others send in the model: a few messages, often the same. */

export const SELF = 'self';
export const HOST = 'host';
const QUESTION = '0'.repeat(64);

/** What a message says: the same letter is the same message. */
export const CLASSES: readonly string[] = [
  ...['send a', 'send b', 'reply a', 'proposal a', 'request a'],
];

export const contentOf = (
  name: string,
): Partial<Mail> & { type: Mail['type'] } => {
  const [kind = '', words = ''] = name.split(' ');
  const none = { names: [], ids: [] };
  switch (kind) {
    case 'reply':
      return { type: 'package', replyTo: QUESTION, strings: [words], ...none };
    case 'proposal':
      return {
        ...{ type: 'proposal', source: words, codeNames: [], ids: [] },
        ...{ petNamePaths: [], edgeNames: [] },
      };
    case 'request':
      return { type: 'request', description: words };
    default:
      return { type: 'package', strings: [words], ...none };
  }
};

export const classOf = (mail: Mail): string => {
  if (mail.type === 'proposal') return `proposal ${mail.source}`;
  if (mail.type === 'request') return `request ${mail.description}`;
  if (mail.type !== 'package') return mail.type;
  const kind = mail.replyTo === undefined ? 'send' : 'reply';
  return `${kind} ${mail.strings.join('')}`;
};

export const draftOf = (name: string, index: number): Draft => {
  const [kind = '', words = ''] = name.split(' ');
  const key = `call-${index}`;
  const parcel = { strings: [words], edgeNames: [], petNames: [] };
  switch (kind) {
    case 'reply': {
      const answers = { number: 0n, messageId: QUESTION };
      return harden({ type: 'reply', key, answers, to: HOST, parcel });
    }
    case 'proposal':
      return harden({
        ...{ type: 'proposal', key, source: words },
        ...{ codeNames: [], petNames: [], resultName: undefined },
      });
    case 'request':
      return harden({
        ...{ type: 'request', key, to: ['HOST'] },
        ...{ description: words, responseName: ['answer'] },
      });
    default:
      return harden({ type: 'send', key, to: ['HOST'], parcel });
  }
};
