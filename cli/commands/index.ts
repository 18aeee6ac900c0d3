import type { Command } from '../powers.ts';
import { adopt } from './adopt.ts';
import { dismiss } from './dismiss.ts';
import { inbox } from './inbox.ts';
import { list } from './list.ts';
import { log } from './log.ts';
import { ping } from './ping.ts';
import { remove } from './remove.ts';
import { reply } from './reply.ts';
import { run } from './run.ts';
import { send } from './send.ts';
import { show } from './show.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { store } from './store.ts';
import { talk } from './talk.ts';
import { up } from './up.ts';
import { where } from './where.ts';

/** Every verb, in the order of the help. */
export const commands: readonly Command[] = harden([
  up,
  talk,
  start,
  stop,
  status,
  ping,
  where,
  log,
  run,
  send,
  reply,
  inbox,
  adopt,
  dismiss,
  list,
  show,
  store,
  remove,
]);
