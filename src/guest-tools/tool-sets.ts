import type { ToolDefinition } from '../tool/define-tool.ts';
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
  dismiss,
  identify,
  inspectCapability,
];
harden(hostToolDefinitions);

/** What a turn of anyone else has (architecture.md, "A turn acts for its correspondent"). */
export const strangerToolDefinitions: readonly ToolDefinition<TurnPowers>[] = [
  reply,
  listMessages,
  help,
  adopt,
];
harden(strangerToolDefinitions);
