import type { ToolDefinition } from '../tool/define-tool.ts';
import { READ_RESULT } from '../tool/kept-results.ts';
import { adoptTool } from './adopt-tool.ts';
import {
  copy,
  has,
  list,
  lookup,
  makeDirectory,
  move,
  remove,
  store,
} from './directory.ts';
import { help } from './documentation.ts';
import { identify, inspectCapability } from './identity.ts';
import { adopt, dismiss, listMessages, reply, send } from './mail.ts';
import { evaluate } from './proposals.ts';
import { reject, request, resolve } from './requests.ts';
import type { TurnPowers } from './turn-powers.ts';

/** What a turn of the HOST has, in the order that the model sees. */
export const hostToolDefinitions: readonly ToolDefinition<TurnPowers>[] = [
  help,
  has,
  list,
  lookup,
  store,
  remove,
  move,
  copy,
  makeDirectory,
  listMessages,
  send,
  reply,
  adopt,
  adoptTool,
  dismiss,
  request,
  resolve,
  reject,
  evaluate,
  identify,
  inspectCapability,
];
harden(hostToolDefinitions);

/** Function names that no adopted tool can have. */
export const staticToolNames: readonly string[] = [
  ...hostToolDefinitions.map(({ name }) => name),
  READ_RESULT,
];
harden(staticToolNames);

/** What a turn of anyone else has (architecture.md, "A turn acts for its correspondent"). */
export const strangerToolDefinitions: readonly ToolDefinition<TurnPowers>[] = [
  reply,
  listMessages,
  help,
  adopt,
];
harden(strangerToolDefinitions);
