import type { Mail } from '../endo/guest.ts';
import { defineTool } from '../tool/define-tool.ts';
import {
  edgeName,
  messageNumber,
  name,
  optional,
} from '../tool/parameter-kinds.ts';
import { NAME_SPELLINGS, NUMBER_SPELLINGS, replaceFlag } from './parameters.ts';
import type { TurnPowers } from './turn-powers.ts';

/** The id of a value that came with a message. */
const idOfEdge = (mail: Mail, edge: string): string => {
  const id =
    mail.type === 'package' ? mail.ids[mail.names.indexOf(edge)] : undefined;
  if (id !== undefined) return id;
  const edges = mail.type === 'package' ? mail.names : [];
  throw Error(
    `Message #${mail.number.toString()} carries no value @${edge}. ${edges.length > 0 ? `It carries ${edges.map((each) => `@${each}`).join(', ')}` : 'It carries none'}.`,
  );
};

const findMail = async (
  { mail }: TurnPowers,
  number: bigint,
): Promise<Mail> => {
  const found = (await mail.list()).find((each) => each.number === number);
  if (found !== undefined) return found;
  throw Error(
    `There is no message #${number.toString()}. See what there is with listMessages.`,
  );
};

/** The one name within `tools/` that a path stands for. */
const nameInTools = (path: readonly string[]): string => {
  const inner = path[0] === 'tools' ? path.slice(1) : path;
  const [petName] = inner;
  if (inner.length === 1 && petName !== undefined) return petName;
  throw Error(
    `${JSON.stringify(path.join('/'))} is no name for a tool. Give one plain name, such as "greet-tool": the tool goes to tools/greet-tool.`,
  );
};

export const adoptTool = defineTool({
  name: 'adoptTool',
  description:
    'Make a tool that came with a message one of your tools, from your next step on.',
  effect: 'idempotent',
  parameters: {
    messageNumber: messageNumber('', NUMBER_SPELLINGS),
    edgeName: edgeName('', { aliases: ['edge'] }),
    toolName: optional(name('', NAME_SPELLINGS)),
    replace: replaceFlag,
  },
  execute: async (
    { messageNumber: number, edgeName: edge, toolName, replace },
    powers: TurnPowers,
  ) => {
    const petName = nameInTools(toolName ?? [edge.toLowerCase()]);
    const path = await powers.names.admit(['tools', petName]);
    const mail = await findMail(powers, number);
    const { functionName, schema } = await powers.toolbox.adopt({
      id: idOfEdge(mail, edge),
      petName,
      from: await powers.describe(mail.from),
      replace,
      bind: () => powers.mail.adopt(number, edge, path, harden({ replace })),
    });
    const calledElse =
      functionName === schema.name
        ? ''
        : ` (it calls itself ${JSON.stringify(schema.name)})`;
    return `Adopted @${edge} of message #${number.toString()} as "tools/${petName}". Its function is ${functionName}${calledElse}; in its own words: ${JSON.stringify(schema.description)}. You can call it from your next step on.`;
  },
});
harden(adoptTool);
