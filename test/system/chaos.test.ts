import { afterAll, beforeAll, expect, it } from 'vitest';

import type { ChaosPoint } from '../support/chaos-plan.ts';
import { halfOf, makeInstants, pointsOf } from '../support/chaos-points.ts';
import {
  type Tally,
  addTo,
  emptyTally,
  tallyText,
} from '../support/chaos-tally.ts';
import type { Fate } from '../support/chaos-subject.ts';
import {
  type ChaosWorld,
  type Kill,
  startChaos,
} from '../support/chaos-world.ts';

/** `npm run soak`: every side of every call in both passes, and longer at random. */
const isSoak = process.env['HOB_SOAK'] === '1';

/** Agents that are killed at once. */
const TOGETHER = 64;
/** One in so many is granted what it proposes: that starts a process. */
const GRANTED = 8;

const RUNS = isSoak ? 60 : 5;
const KILLS_A_RUN = 4;
const AGENTS_A_RUN = isSoak ? 16 : 4;
const LONGEST_RUN_MS = isSoak ? 2000 : 600;
const TIMEOUT_MS = isSoak ? 3_600_000 : 300_000;

const seed = Number(process.env['KILL_SEED'] ?? '20260401');

let world: ChaosWorld;
let points: readonly ChaosPoint[];
beforeAll(async () => {
  world = await startChaos();
  points = pointsOf(await world.labels());
  expect(points.length).toBeGreaterThan(120);
});
afterAll(() => world.stop());

/** What is promised on this daemon: all of it, once, and nothing unknown. */
const expectPromised = (kill: Kill, tally: Tally): void => {
  process.stdout.write(`killed the ${kill}: ${tallyText(tally)}\n`);
  expect(tally.failures).toEqual([]);
  const none = { lost: 0, doubled: 0, askedTwice: 0, unknown: 0 };
  expect(tally).toMatchObject(none);
};

const isGrantedAt = (index: number): boolean => index % GRANTED === 0;

const kills: readonly { readonly kill: Kill; readonly half: 0 | 1 }[] = [
  { kill: 'worker', half: 0 },
  { kill: 'daemon', half: 1 },
];

it.each(kills)(
  'loses, doubles and asks for nothing again when the $kill is killed beside each call that changes something',
  async ({ kill, half }) => {
    const tally = emptyTally();
    const ours = isSoak ? points : halfOf(points, half);
    expect(ours.length).toBeGreaterThan(60);
    for (let at = 0; at < ours.length; at += TOGETHER) {
      const fates = ours.slice(at, at + TOGETHER).map((point, index): Fate => {
        return { point, isGranted: isGrantedAt(index) };
      });
      addTo(tally, await world.run(fates, kill));
    }
    expectPromised(kill, tally);
    expect(tally.turns).toBe(ours.length);
    // The HOST was waited for: no code ran when the daemon was killed.
    expect(tally.lostGrants).toBe(0);
  },
  TIMEOUT_MS,
);

it.each(kills)(
  'loses, doubles and asks for nothing again when the $kill is killed at random instants, four times in a turn',
  async ({ kill }) => {
    const tally = emptyTally();
    const nextInstant = makeInstants(seed, LONGEST_RUN_MS);
    for (let run = 0; run < RUNS; run += 1) {
      const instants = Array.from({ length: KILLS_A_RUN }, nextInstant);
      const fates = Array.from({ length: AGENTS_A_RUN }, (_, index): Fate => {
        return { isGranted: isGrantedAt(index) };
      });
      addTo(tally, await world.run(fates, kill, instants));
    }
    expectPromised(kill, tally);
  },
  TIMEOUT_MS,
);
