/**
 * The composition root of a worker process, `main.ts <kind> <label>`: it joins
 * the channel (file descriptor 3), the log and the process to what the worker
 * does.
 */
import {
  makeConsole,
  setConsole,
  type ConsoleSink,
} from '../connection/lockdown.ts';
import { writeSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { Socket } from 'node:net';
import { makeConnection } from '../connection/connection.ts';
import { makeConfinedWorker } from './confined.ts';
import { makeUnconfinedWorker } from './unconfined.ts';
import { watchParent } from './parent-watch.ts';

// Node has read it by now; what runs here sees the environment it was given.
delete process.env['NODE_COMPILE_CACHE'];

const CHANNEL = 3;
const LOG = 2;
const kind = process.argv[2];
const label = process.argv[3] ?? '';

/** Characters a second: code that logs in a loop must not fill the disk. */
const MAX_LOG_RATE = 100_000;
/** Characters of one text; errors that nobody handles may bring a long one. */
const MAX_TEXT = 10_000;
let second = 0;
let logged = 0;

const log: ConsoleSink = (level, text) => {
  const now = Math.floor(performance.now() / 1000);
  if (now !== second) logged = 0;
  second = now;
  if (logged > MAX_LOG_RATE) return;
  const shown =
    text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (cut)` : text;
  // Indented, so that no text passes for a line of its own.
  const words = shown.replaceAll(/[\r\n]+/gu, '\n  ');
  const line = `${new Date().toISOString()} worker ${label} ${level}: ${words}\n`;
  // The whole line: empty texts fill a disk too.
  logged += line.length;
  try {
    writeSync(LOG, line);
  } catch {
    // Nobody reads the log any more, and there is no other place to say so.
  }
};

const describe = (error: unknown): string =>
  error instanceof Error
    ? (error.stack ?? `${error.name}: ${error.message}`)
    : String(error);

process.on('unhandledRejection', (reason) => {
  log('error', `a rejection was not handled: ${describe(reason)}`);
});
process.on('uncaughtException', (error) => {
  log('error', `the worker ends, an error was not caught: ${describe(error)}`);
  process.exit(1);
});

// Ctrl-C reaches every process of a terminal; the daemon says when a worker ends.
process.on('SIGINT', () => undefined);

/** A worker that is killed would never write its share of the cache. */
const saveCompiled = (): void => {
  setImmediate(flushCompileCache);
};

const makeBootstrap = (): unknown => {
  if (kind === 'confined') return makeConfinedWorker(makeConsole(() => log));
  setConsole(log);
  return makeUnconfinedWorker(saveCompiled);
};

const connection = makeConnection({
  name: `daemon of worker ${label}`,
  socket: new Socket({ fd: CHANNEL, readable: true, writable: true }),
  bootstrap: makeBootstrap(),
});
// Without its daemon a worker is of no use to anybody.
void connection.closed.then(() => process.exit(0));
// Proposed code may loop for ever; a caplet is trusted not to, and a thread costs 12 MB.
if (kind === 'confined') watchParent();
saveCompiled();
