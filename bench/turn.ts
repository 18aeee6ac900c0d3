/**
 * What a turn costs beside its model: a model that answers at once, the real
 * daemon, the real worker, the real SDK over loopback.
 *
 *   npm run -s bench              a table
 *   npm run -s bench -- --json    one JSON document
 */
import '../daemon/connection/lockdown.ts';

import { E } from '@endo/far';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import type { Mail } from '../src/endo/guest.ts';
import { startTestDaemon } from '../test/support/daemon.ts';
import { startSystem } from '../test/support/system.ts';
import { childrenOf, residentMb } from './processes.ts';
import { median, quantile, sum } from './statistics.ts';

const TURNS = 100;
const STARTS = 5;
const HISTORY = 40;

/** The first start compiles; the ones after it are what a person meets. */
const measureStarts = async (): Promise<readonly number[]> => {
  const times: number[] = [];
  const daemon = await startTestDaemon();
  for (let start = 0; start < STARTS; start += 1) {
    await daemon.kill9();
    const began = performance.now();
    await daemon.restart();
    await E((await daemon.client()).endo)['ping']();
    times.push(performance.now() - began);
  }
  await daemon.stop();
  return times;
};

const measureTurns = async () => {
  // On a state that has been used before, as a person's is.
  const statePath = mkdtempSync(join(tmpdir(), 'hob-'));
  await (await startSystem([{ text: 'Warm.' }], {}, { statePath })).stop();
  const system = await startSystem([{ text: 'At once.' }], {}, { statePath });
  const { host, settled, daemon } = system;
  const pid = daemon.pid();
  // The agent of the state before was replaced, and its worker ends.
  while (childrenOf(pid).length > 1) await delay(100);
  const processes = [pid, ...childrenOf(pid)];
  const idle = processes.map(residentMb);

  const answerTo = async (messageId: string): Promise<Mail> => {
    const mail = await host.receive();
    return mail.replyTo === messageId ? mail : answerTo(messageId);
  };
  const ask = async (text: string): Promise<number> => {
    const began = performance.now();
    const { messageId } = await host.send('hob', text);
    await answerTo(messageId);
    const took = performance.now() - began;
    await settled(messageId);
    return took;
  };

  const first = await ask('The first question.');
  const plain: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    plain.push(await ask(`Question ${turn}`));
  }
  const chained: number[] = [];
  const { messageId: opening } = await host.send('hob', 'A conversation.');
  let last = await answerTo(opening);
  for (let turn = 0; turn < HISTORY; turn += 1) {
    const began = performance.now();
    const { messageId } = await host.reply(last, `Line ${turn}`);
    last = await answerTo(messageId);
    chained.push(performance.now() - began);
    await settled(messageId);
  }
  const busy = processes.map(residentMb);
  const { requests } = system.server;
  await system.stop();
  rmSync(statePath, { recursive: true });
  return {
    first,
    plain,
    chained,
    modelCallsOfPlainTurn: (requests.length - 2 - HISTORY) / TURNS,
    idle,
    busy,
  };
};

const starts = await measureStarts();
const turns = await measureTurns();
const figures = {
  'start to first ping, median ms': median(starts),
  'first turn after a start, ms': turns.first,
  'send to reply, median ms': median(turns.plain),
  'send to reply, p95 ms': quantile(turns.plain, 0.95),
  [`the same at turn ${HISTORY} of a conversation, ratio`]:
    median(turns.chained.slice(-10)) / median(turns.chained.slice(0, 10)),
  'model calls of a plain turn': turns.modelCallsOfPlainTurn,
  'daemon and agent idle, MB': sum(turns.idle),
  'daemon and agent after these turns, MB': sum(turns.busy),
};
if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify(figures)}\n`);
} else {
  for (const [name, value] of Object.entries(figures)) {
    process.stdout.write(`${name.padEnd(52)} ${value.toFixed(1)}\n`);
  }
}
process.exit(0);
