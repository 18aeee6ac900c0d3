import { defineTool } from '../tool/define-tool.ts';
import {
  messageNumber,
  name,
  optional,
  text,
} from '../tool/parameter-kinds.ts';
import { assertNotToolsItself } from '../tool/tools-folder.ts';
import { assertFree, chooseFreeName } from './free-name.ts';
import { NAME_SPELLINGS, NUMBER_SPELLINGS, replaceFlag } from './parameters.ts';
import type { TurnPowers } from './turn-powers.ts';

export const requestedResult = (
  request: bigint,
  responseName: string | undefined,
): { readonly [key: string]: unknown } => ({
  status: 'pending',
  request,
  ...(responseName === undefined ? {} : { responseName }),
});
harden(requestedResult);

export const resolvedText = (number: bigint, path: readonly string[]): string =>
  `Answered request #${number.toString()} with ${JSON.stringify(path.join('/'))}.`;
harden(resolvedText);

export const rejectedText = (number: bigint): string =>
  `Rejected #${number.toString()}.`;
harden(rejectedText);

export const request = defineTool({
  name: 'request',
  description:
    'Ask somebody for a value. The answer comes later, as a message, and is named responseName.',
  effect: 'once',
  parameters: {
    recipientName: name('', {
      aliases: ['recipient', 'to', 'recipientPath', 'toName'],
    }),
    description: text('', { aliases: ['what', 'text', 'message'] }),
    responseName: optional(name('', { aliases: ['resultName', 'petName'] })),
    replace: replaceFlag,
  },
  execute: async (
    { recipientName, description, responseName, replace },
    powers: TurnPowers,
  ) => {
    if (responseName !== undefined) assertNotToolsItself(responseName);
    if (responseName !== undefined && !replace) {
      await assertFree(responseName, powers);
    }
    const path = responseName ?? (await chooseFreeName(powers));
    const { asking } = powers;
    const { number } = await asking.request(recipientName, description, path);
    return requestedResult(number, path.join('/'));
  },
});
harden(request);

export const resolve = defineTool({
  name: 'resolve',
  description: 'Answer a request with a named value.',
  effect: 'once',
  parameters: {
    messageNumber: messageNumber('', NUMBER_SPELLINGS),
    petName: name('', NAME_SPELLINGS),
  },
  execute: async (
    { messageNumber: number, petName },
    { directory, mail }: TurnPowers,
  ) => {
    const shown = JSON.stringify(petName.join('/'));
    if ((await directory.identify(petName)) === undefined) {
      throw Error(`Nothing is named ${shown}. See what there is with list.`);
    }
    await mail.resolve(number, petName);
    return resolvedText(number, petName);
  },
});
harden(resolve);

export const reject = defineTool({
  name: 'reject',
  description: 'Refuse a request or a counter-proposal.',
  effect: 'once',
  parameters: {
    messageNumber: messageNumber('', NUMBER_SPELLINGS),
    reason: optional(text(), 'Declined'),
  },
  execute: async ({ messageNumber: number, reason }, { mail }: TurnPowers) => {
    await mail.reject(number, reason);
    return rejectedText(number);
  },
});
harden(reject);
