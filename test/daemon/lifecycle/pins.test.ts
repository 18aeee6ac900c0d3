import { describe, expect, it } from 'vitest';
import { makePins } from '../../../daemon/lifecycle/pins.ts';
import type { Incarnator } from '../../../daemon/lifecycle/incarnator.ts';
import type { NameStore } from '../../../daemon/store/names.ts';

/** Pins over one pinned value whose making fails as long as `broken` says. */
const setUp = () => {
  const timers: { effect: () => void; delay: number }[] = [];
  const state = { broken: true, pinned: true, now: 0, made: 0 };
  let lost: (id: string) => void = () => undefined;
  const incarnator: Partial<Incarnator> = {
    provide: () => {
      state.made += 1;
      return state.broken
        ? Promise.reject(Error('no'))
        : Promise.resolve('value');
    },
    onLost: (listener) => {
      lost = listener;
    },
  };
  const names: Partial<NameStore> = {
    holders: () => ['pins'],
    list: () => [{ name: 'agent', id: 'id' }],
    namesOf: () => (state.pinned ? ['agent'] : []),
  };
  const pins = makePins({
    names: names as NameStore,
    boards: { all: () => ['pins'], has: (id) => id === 'pins' },
    incarnator: incarnator as Incarnator,
    setTimer: (effect, delay) => {
      const timer = { effect, delay };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
    monotonic: () => state.now,
    log: () => undefined,
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  };
  /** Runs the only timer; the result is how long it waited. */
  const elapse = async (): Promise<number | undefined> => {
    const timer = timers.shift();
    state.now += timer?.delay ?? 0;
    timer?.effect();
    await settle();
    return timer?.delay;
  };
  return { pins, state, timers, elapse, settle, lose: () => lost('id') };
};

describe('what is pinned', () => {
  it('is made again after longer and longer pauses, up to a minute', async () => {
    const { pins, elapse, settle } = setUp();
    pins.start();
    await settle();
    const delays: unknown[] = [];
    for (let attempt = 0; attempt < 13; attempt += 1)
      delays.push(await elapse());
    expect(delays.slice(0, 4)).toEqual([100, 200, 400, 800]);
    expect(delays.slice(-2)).toEqual([60_000, 60_000]);
  });

  it('begins with a short pause again when it lived well', async () => {
    const { pins, state, timers, elapse, settle, lose } = setUp();
    pins.start();
    await settle();
    await elapse();
    state.broken = false;
    await elapse();
    expect(timers).toEqual([]);
    state.now += 120_000;
    lose();
    expect(timers).toMatchObject([{ delay: 100 }]);
  });

  it('is left alone when it is pinned no more, and when the daemon stops', async () => {
    const { pins, state, timers, settle, lose } = setUp();
    state.pinned = false;
    lose();
    expect(timers).toEqual([]);
    state.pinned = true;
    lose();
    expect(timers).toHaveLength(1);
    pins.stop();
    expect(timers).toEqual([]);
    lose();
    await settle();
    expect(timers).toEqual([]);
  });
});
