import { describe, expect, it } from 'vitest';
import type { InterruptHandler } from '../../cli/powers.ts';
import { makeInterrupts } from '../../cli/talk/interrupts.ts';

const makeWorld = () => {
  const handlers: InterruptHandler[] = [];
  const timers: (() => void)[] = [];
  const interrupts = makeInterrupts({
    onInterrupt: (handler) => {
      handlers.push(handler);
      return () => handlers.splice(0);
    },
    after: (_ms, fire) => {
      timers.push(fire);
      return () => undefined;
    },
  });
  let left = false;
  void interrupts.left.then(() => {
    left = true;
  });
  return {
    interrupts,
    press: (how: 'ctrl-c' | 'terminate' = 'ctrl-c') =>
      handlers.forEach((handler) => handler(how)),
    waitAWhile: () => timers.splice(0).forEach((fire) => fire()),
    hasLeft: async () => {
      await Promise.resolve();
      return left;
    },
  };
};

const forever = new Promise<never>(() => undefined);

describe('Ctrl-C', () => {
  it('leaves when nothing runs', async () => {
    const { press, hasLeft } = makeWorld();
    press();
    expect(await hasLeft()).toBe(true);
  });

  it('stops the running turn first, and leaves when pressed again', async () => {
    const { interrupts, press, waitAWhile, hasLeft } = makeWorld();
    let stops = 0;
    void interrupts.during(() => {
      stops += 1;
    }, forever);
    press();
    expect(stops).toBe(1);
    expect(await hasLeft()).toBe(false);
    waitAWhile();
    press();
    expect(stops).toBe(1);
    expect(await hasLeft()).toBe(true);
  });

  it('counts once when npm passes it on as well', async () => {
    const { interrupts, press, hasLeft } = makeWorld();
    void interrupts.during(() => undefined, forever);
    press();
    press();
    expect(await hasLeft()).toBe(false);
  });

  it('leaves after a turn that has ended by itself', async () => {
    const { interrupts, press, hasLeft } = makeWorld();
    await interrupts.during(() => undefined, Promise.resolve());
    press();
    expect(await hasLeft()).toBe(true);
  });

  it('is not what a request to end is: that leaves at once', async () => {
    const { interrupts, press, hasLeft } = makeWorld();
    void interrupts.during(() => undefined, forever);
    press('terminate');
    expect(await hasLeft()).toBe(true);
  });
});
