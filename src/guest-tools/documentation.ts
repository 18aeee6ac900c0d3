import { defineTool } from '../tool/define-tool.ts';
import { optional, text } from '../tool/parameter-kinds.ts';
import type { TurnPowers } from './turn-powers.ts';

export const help = defineTool({
  name: 'help',
  description: "The daemon's help, on one method or on all.",
  effect: 'read',
  parameters: {
    methodName: optional(text('', { aliases: ['method', 'name'] })),
  },
  execute: ({ methodName = '' }, powers: TurnPowers) =>
    methodName === '' ? powers.help() : powers.help(methodName),
});
harden(help);
