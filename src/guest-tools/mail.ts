import type { Mail } from '../endo/guest.ts';
import { defineTool } from '../tool/define-tool.ts';
import {
  edgeName,
  edgeNameList,
  messageNumber,
  name,
  nameList,
  optional,
  textList,
} from '../tool/parameter-kinds.ts';
import { makeParcel } from './parcel.ts';
import { NAME_SPELLINGS, NUMBER_SPELLINGS, replaceFlag } from './parameters.ts';
import type { TurnPowers } from './turn-powers.ts';

/** How many messages one listing shows. */
const NEWEST = 50;

const joinText = (
  strings: readonly string[],
  names: readonly string[],
): string =>
  strings
    .map((part, index) => {
      const edge = names[index];
      return edge === undefined ? part : `${part}@${edge}`;
    })
    .join('');

/** Characters of code that a listing shows of one message. */
const SHOWN_SOURCE = 500;

const shortened = (source: string): string =>
  source.length > SHOWN_SOURCE ? `${source.slice(0, SHOWN_SOURCE)}…` : source;

/** What is in a message, by its type; the rest is the same for all. */
const describeContent = (mail: Mail): { readonly [key: string]: unknown } => {
  switch (mail.type) {
    case 'package':
      return {
        type: mail.type,
        text: joinText(mail.strings, mail.names),
        ...(mail.names.length > 0 ? { edgeNames: mail.names } : {}),
      };
    case 'request':
      return {
        type: mail.type,
        description: mail.description,
        ...(mail.state === undefined ? {} : { state: mail.state }),
      };
    case 'proposal':
    case 'review':
      return {
        type: mail.type === 'proposal' ? mail.type : 'counter-proposal',
        source: shortened(mail.source),
        codeNames: mail.codeNames,
        ...(mail.state === undefined ? {} : { state: mail.state }),
      };
    case 'other':
      return { type: mail.kind };
  }
};

const describeMail = async (mail: Mail, { describe }: TurnPowers) => ({
  number: mail.number,
  messageId: mail.messageId,
  ...(mail.replyTo === undefined ? {} : { replyTo: mail.replyTo }),
  from: await describe(mail.from),
  to: await describe(mail.to),
  date: mail.date,
  ...describeContent(mail),
});

export const listMessages = defineTool({
  name: 'listMessages',
  description: 'Your mail, newest first.',
  effect: 'read',
  parameters: {},
  execute: async (_args, powers: TurnPowers) => {
    const all = await powers.mail.list();
    const newest = all.slice(-NEWEST).reverse();
    const messages = await Promise.all(
      newest.map((mail) => describeMail(mail, powers)),
    );
    return all.length > messages.length
      ? { messages, olderNotShown: all.length - messages.length }
      : messages;
  },
});
harden(listMessages);

const stringsParameter = textList('', {
  aliases: ['text', 'message', 'content'],
});
const edgeNamesParameter = optional(edgeNameList(), []);
const petNamesParameter = optional(
  nameList('', { aliases: ['petNamePaths', 'petNamesOrPaths'] }),
  [],
);

export const sentText = (recipient: readonly string[]): string =>
  `Sent to ${JSON.stringify(recipient.join('/'))}.`;
harden(sentText);

export const repliedText = (number: bigint): string =>
  `Replied to message #${number.toString()}.`;
harden(repliedText);

export const send = defineTool({
  name: 'send',
  description:
    'Start a conversation. Text: strings[0] @edgeNames[0] strings[1] …; petNames[i] names the value of edgeNames[i].',
  effect: 'once',
  parameters: {
    recipientName: name('', {
      aliases: ['recipient', 'to', 'recipientPath', 'toName'],
    }),
    strings: stringsParameter,
    edgeNames: edgeNamesParameter,
    petNames: petNamesParameter,
  },
  execute: async (
    { recipientName, strings, edgeNames, petNames },
    { mail }: TurnPowers,
  ) => {
    await mail.send(recipientName, makeParcel(strings, edgeNames, petNames));
    return sentText(recipientName);
  },
});
harden(send);

export const reply = defineTool({
  name: 'reply',
  description:
    'Answer a message in its thread. Text: strings[0] @edgeNames[0] strings[1] …',
  effect: 'once',
  parameters: {
    messageNumber: messageNumber('', NUMBER_SPELLINGS),
    strings: stringsParameter,
    edgeNames: edgeNamesParameter,
    petNames: petNamesParameter,
  },
  execute: async (
    { messageNumber: number, strings, edgeNames, petNames },
    { mail }: TurnPowers,
  ) => {
    await mail.reply(number, makeParcel(strings, edgeNames, petNames));
    return repliedText(number);
  },
});
harden(reply);

export const adopt = defineTool({
  name: 'adopt',
  description: 'Name a value that came with a message.',
  effect: 'idempotent',
  parameters: {
    messageNumber: messageNumber('', NUMBER_SPELLINGS),
    edgeName: edgeName('', { aliases: ['edge'] }),
    petName: name('', NAME_SPELLINGS),
    replace: replaceFlag,
  },
  execute: async (
    { messageNumber: number, edgeName: edge, petName, replace },
    { mail }: TurnPowers,
  ) => {
    const path = await mail.adopt(number, edge, petName, harden({ replace }));
    return `Adopted @${edge} of message #${number.toString()} as ${JSON.stringify(path.join('/'))}.`;
  },
});
harden(adopt);

export const dismissedText = (number: bigint): string =>
  `Dismissed message #${number.toString()}.`;
harden(dismissedText);

export const dismiss = defineTool({
  name: 'dismiss',
  description: 'Delete a message.',
  effect: 'idempotent',
  parameters: { messageNumber: messageNumber('', NUMBER_SPELLINGS) },
  execute: async ({ messageNumber: number }, { mail }: TurnPowers) => {
    const done = await mail.dismiss(number);
    return done === 'deferred'
      ? `Message #${number.toString()} will be dismissed when this turn ends.`
      : dismissedText(number);
  },
});
harden(dismiss);
