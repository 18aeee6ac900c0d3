/**
 * Growth of both ends of one connection over 20,000 calls, in bytes a call,
 * after garbage collection: `node --expose-gc bench/connection.ts`. Each call
 * passes a fresh object and returns one, the worst that mail does.
 */
import '../daemon/connection/lockdown.ts';
import { spawn } from 'node:child_process';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { E, Far } from '@endo/far';
import { makeConnection } from '../daemon/connection/connection.ts';

const CALLS = 20_000;
const WARM_UP = 5_000;
const BATCH = 50;
/**
 * Both ends collect this often: the engine's weak tables never give back what
 * a long stretch without collection made them take, which is noise here.
 */
const CALLS_PER_COLLECTION = 500;

type Echo = {
  readonly echo: (value: unknown) => Promise<unknown>;
  readonly used: () => Promise<number>;
};

/** Bytes of heap in use once nothing more is collected. */
const usedHeap = async (): Promise<number> => {
  if (gc === undefined) throw Error('Run this with node --expose-gc');
  let used = Infinity;
  for (;;) {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    gc();
    const now = process.memoryUsage().heapUsed;
    if (now >= used - 1000) return Math.min(now, used);
    used = now;
  }
};

const echo = Far('Echo', {
  echo: () => Far('Answer', { at: () => 1 }),
  used: usedHeap,
});

const serve = (): void => {
  const socket = new Socket({ fd: 3, readable: true, writable: true });
  const { closed } = makeConnection({ name: 'bench', socket, bootstrap: echo });
  void closed.then(() => process.exit(0));
};

const callMany = async (far: Echo, count: number): Promise<void> => {
  for (let done = 0; done < count; done += BATCH) {
    const calls: unknown[] = [];
    for (let index = 0; index < BATCH; index += 1) {
      const value = harden({ index, it: Far('It', { at: () => index }) });
      calls.push(E(far).echo(value));
    }
    await Promise.all(calls);
    if (done % CALLS_PER_COLLECTION === 0) {
      await usedHeap();
      await E(far).used();
    }
  }
};

const measure = async (): Promise<void> => {
  const child = spawn(
    process.execPath,
    ['--expose-gc', fileURLToPath(import.meta.url), 'serve'],
    { stdio: ['ignore', 'inherit', 'inherit', 'pipe'] },
  );
  const socket = child.stdio[3] as Duplex;
  const connection = makeConnection({ name: 'bench', socket });
  const far = (await connection.getBootstrap()) as Echo;

  await callMany(far, WARM_UP);
  const [caller, callee] = [await usedHeap(), await E(far).used()];
  await callMany(far, CALLS);
  const growth = {
    calls: CALLS,
    callerBytesPerCall: ((await usedHeap()) - caller) / CALLS,
    calleeBytesPerCall: ((await E(far).used()) - callee) / CALLS,
    kept: connection.counts(),
  };
  process.stdout.write(`${JSON.stringify(growth, null, 2)}\n`);
  connection.close();
};

if (process.argv[2] === 'serve') serve();
else await measure();
