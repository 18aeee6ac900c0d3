import type { Command } from '../powers.ts';
import { adopt } from './adopt.ts';
import { agentRemove } from './agent-remove.ts';
import { agents } from './agents.ts';
import { cancel } from './cancel.ts';
import { copy } from './copy.ts';
import { counter } from './counter.ts';
import { dismiss } from './dismiss.ts';
import { evaluate } from './evaluate.ts';
import { grant } from './grant.ts';
import { inbox } from './inbox.ts';
import { list } from './list.ts';
import { locate } from './locate.ts';
import { log } from './log.ts';
import { make } from './make.ts';
import { makeDirectory } from './make-directory.ts';
import { makeGuest, makeHost } from './make-agent.ts';
import { move } from './move.ts';
import { ping } from './ping.ts';
import { purge } from './purge.ts';
import { reject } from './reject.ts';
import { remove } from './remove.ts';
import { reply } from './reply.ts';
import { request } from './request.ts';
import { resolve } from './resolve.ts';
import { run } from './run.ts';
import { send } from './send.ts';
import { show } from './show.ts';
import { start } from './start.ts';
import { status } from './status.ts';
import { stop } from './stop.ts';
import { store } from './store.ts';
import { talk } from './talk.ts';
import { transcript } from './transcript.ts';
import { up } from './up.ts';
import { where } from './where.ts';

type CommandGroup = {
  readonly heading: string;
  readonly commands: readonly Command[];
};

/** Every verb, in the order of the help. */
export const commandGroups: readonly CommandGroup[] = harden([
  { heading: 'Agents:', commands: [up, talk, agents, transcript, agentRemove] },
  { heading: 'Mail:', commands: [send, reply, inbox, adopt, dismiss] },
  {
    heading: 'Asking and deciding:',
    commands: [request, resolve, grant, counter, reject],
  },
  {
    heading: 'Names and values:',
    commands: [list, show, store, makeDirectory, move, copy, remove, locate],
  },
  {
    heading: 'Making things, and code:',
    commands: [make, evaluate, makeGuest, makeHost, cancel, run],
  },
  {
    heading: 'The daemon:',
    commands: [start, stop, status, ping, where, log, purge],
  },
]);
