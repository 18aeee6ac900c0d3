/**
 * What long conversations and many of them cost beside the model: a model that
 * answers at once, the real daemon, the real worker, the real SDK over loopback.
 * Each turn has two tool calls, unless it says plain.
 *
 *   npm run -s bench:conversation              a table
 *   npm run -s bench:conversation -- --json    one JSON document
 *   npm run -s bench:conversation -- --quick   the same, of shorter ones
 *   npm run -s bench:conversation -- --idle    only the idle conversations
 */
import '../daemon/connection/lockdown.ts';

import type { BenchMail } from './bench-host.ts';
import type { Asked } from './bench-model.ts';
import { type BenchSystem, startBenchSystem } from './bench-system.ts';
import { median, quantile, sum } from './statistics.ts';

const quick = process.argv.includes('--quick');
const idleOnly = process.argv.includes('--idle');
const LENGTHS = quick ? [1, 10, 30] : [1, 50, 100, 500];
const PLAIN_TURNS = quick ? 20 : 100;
const IDLE = quick ? 50 : 1000;
/** Turns at the end of a chain that are its figures, and new ones to compare. */
const SAMPLE = quick ? 5 : 30;
const SMALL_CONTEXT = 12_000;
const SMALL_TURNS = quick ? 40 : 150;

const note = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const wordsOf = (turn: number): string =>
  `Question ${turn}: what of the things on the list is on the shelf?`;

const KB = 1000;

const sharePercent = (asked: readonly Asked[]): number =>
  (100 * sum(asked.map(({ bytesRepeated }) => bytesRepeated))) /
  sum(asked.map(({ bytesBefore }) => bytesBefore));

type Chain = {
  readonly milliseconds: readonly number[];
  readonly written: readonly number[];
  readonly asked: readonly (readonly Asked[])[];
  readonly last: BenchMail;
};

const converse = async (
  { model, turn, written }: BenchSystem,
  turns: number,
): Promise<Chain> => {
  model.begin();
  model.takeAsked();
  const milliseconds: number[] = [];
  const writes: number[] = [];
  const asked: (readonly Asked[])[] = [];
  let last: BenchMail | undefined;
  for (let at = 0; at < turns; at += 1) {
    const before = written();
    const done = await turn(wordsOf(at), last);
    last = done.answer;
    milliseconds.push(done.milliseconds);
    writes.push(written() - before);
    asked.push(model.takeAsked());
  }
  if (last === undefined) throw Error('A chain has one turn at least');
  return { milliseconds, written: writes, asked, last };
};

const mean = (values: readonly number[]): number => sum(values) / values.length;

/** Killed while the model thinks about the results of its tools. */
const measureResume = async (
  system: BenchSystem,
  last: BenchMail,
): Promise<{ readonly ready: number; readonly settled: number }> => {
  const hangs = system.model.hangOnce();
  const messageId = await system.say(wordsOf(-1), last);
  await hangs;
  await system.kill();
  const began = performance.now();
  const ready = await system.restart();
  await system.settled(messageId);
  return { ready, settled: performance.now() - began };
};

const measureChain = async (turns: number) => {
  note(`a chain of ${turns}`);
  const system = await startBenchSystem();
  const size = system.databaseBytes();
  const beginMany = async (): Promise<readonly number[]> => {
    const milliseconds: number[] = [];
    for (let at = 0; at < SAMPLE; at += 1) {
      system.model.begin();
      milliseconds.push((await system.turn(wordsOf(0))).milliseconds);
    }
    return milliseconds;
  };
  // To warm up.
  await beginMany();
  const idle = system.resident();
  const chain = await converse(system, turns);
  const resident = system.resident();
  // At the same time of the same run, to compare with.
  const first = await beginMany();
  const newest = chain.milliseconds.slice(-SAMPLE);
  const calls = chain.asked.at(-1) ?? [];
  const resume = await measureResume(system, chain.last);
  await system.restart();
  // New conversations, and the turn that was interrupted, are in it as well.
  const grown = (system.databaseBytes() - size) / (turns + 2 * SAMPLE + 1);
  await system.stop();
  return {
    turns,
    'new conversation, median ms': median(first),
    'its newest turns, median ms': median(newest),
    'its newest turns, p95 ms': quantile(newest, 0.95),
    'ratio to a new conversation': median(newest) / median(first),
    'written a turn, first turns, kB': mean(chain.written.slice(0, 100)) / KB,
    'written a turn, newest turns, kB': mean(chain.written.slice(-100)) / KB,
    'kept a turn, in the database, kB': grown / KB,
    'prompt of its last call, kB': (calls.at(-1)?.bytes ?? NaN) / KB,
    'prompts of all its calls, MB':
      sum(chain.asked.flat().map(({ bytes }) => bytes)) / KB / KB,
    'prompt repeated to the byte, %': sharePercent(chain.asked.flat()),
    'daemon before it, MB': idle.daemon,
    'daemon after it, MB': resident.daemon,
    'agent before it, MB': idle.agent,
    'agent after it, MB': resident.agent,
    'kill -9 in a turn: daemon ready, ms': resume.ready,
    'kill -9 in a turn: turn settled, ms': resume.settled,
  };
};

const measurePlain = async () => {
  note(`${PLAIN_TURNS} plain turns`);
  const system = await startBenchSystem();
  system.model.useTools(false);
  const chain = await converse(system, PLAIN_TURNS);
  const resident = system.resident();
  await system.stop();
  return {
    turns: PLAIN_TURNS,
    'median ms': median(chain.milliseconds),
    'written a turn, kB': mean(chain.written) / KB,
    'prompts of all its calls, MB':
      sum(chain.asked.flat().map(({ bytes }) => bytes)) / KB / KB,
    'first prompt, kB': (chain.asked[0]?.[0]?.bytes ?? NaN) / KB,
    'prompt repeated to the byte, %': sharePercent(chain.asked.flat()),
    'daemon after it, MB': resident.daemon,
    'agent after it, MB': resident.agent,
  };
};

const measureIdle = async () => {
  note(`${IDLE} idle conversations`);
  const system = await startBenchSystem();
  system.model.useTools(false);
  const freshResident = async (): Promise<number> => {
    await system.restart();
    const { daemon, agent } = system.resident();
    return daemon + agent;
  };
  const none = await freshResident();
  for (let at = 0; at < IDLE; at += 1) {
    system.model.begin();
    await system.turn(wordsOf(at));
  }
  const { daemon, agent } = system.resident();
  const began = performance.now();
  const after = await freshResident();
  const restarted = performance.now() - began;
  await system.stop();
  return {
    conversations: IDLE,
    'both processes with none, MB': none,
    'when they were had, MB': daemon + agent,
    'after a restart, MB': after,
    'more than with none, MB': after - none,
    'restart until the agent is there, ms': restarted,
  };
};

const measureSmall = async () => {
  note(`${SMALL_TURNS} turns in ${SMALL_CONTEXT} tokens`);
  const system = await startBenchSystem({
    LAL_CONTEXT_TOKENS: String(SMALL_CONTEXT),
  });
  const chain = await converse(system, SMALL_TURNS);
  const summaries = system.model.summaries();
  await system.stop();
  const calls = chain.asked.flat();
  const kept = calls.filter(
    ({ bytesBefore, bytesRepeated }) => bytesBefore === bytesRepeated,
  );
  return {
    'tokens of context': SMALL_CONTEXT,
    turns: SMALL_TURNS,
    'calls for a summary': summaries,
    'calls of the turns': calls.length,
    'calls that repeat the one before whole, %':
      (100 * kept.length) / calls.length,
    'prompt repeated to the byte, %': sharePercent(calls),
    'largest prompt, kB': Math.max(...calls.map(({ bytes }) => bytes)) / KB,
    'newest turns, median ms': median(chain.milliseconds.slice(-SAMPLE)),
    'newest turns, p95 ms': quantile(chain.milliseconds.slice(-SAMPLE), 0.95),
  };
};

type Figures = Readonly<Record<string, number>>;

const print = (heading: string, columns: readonly Figures[]): void => {
  if (columns.length === 0) return;
  process.stdout.write(`${heading}\n`);
  for (const name of Object.keys(columns[0] ?? {})) {
    const values = columns.map((column) => {
      const value = column[name] ?? NaN;
      const digits = Number.isInteger(value) ? 0 : value < 10 ? 2 : 1;
      return value.toFixed(digits).padStart(9);
    });
    process.stdout.write(`  ${name.padEnd(40)}${values.join('')}\n`);
  }
  process.stdout.write('\n');
};

const chains = [];
if (!idleOnly) {
  for (const turns of LENGTHS) chains.push(await measureChain(turns));
}
const plain = idleOnly ? [] : [await measurePlain()];
const idle = [await measureIdle()];
const small = idleOnly ? [] : [await measureSmall()];
if (process.argv.includes('--json')) {
  process.stdout.write(`${JSON.stringify({ chains, plain, idle, small })}\n`);
} else {
  print('Conversations of two tool calls a turn', chains);
  print('One conversation of plain turns', plain);
  print('Idle conversations', idle);
  print('A conversation that outgrows its model', small);
}
process.exit(0);
