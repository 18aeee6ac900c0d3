import { expect, it } from 'vitest';
import type { OpenWorld } from './world.ts';
import { lastOf, text } from './world.ts';

/** What the agent can rely on when it, or the daemon, is killed. */
export const itSaysWhatHolds = (
  open: () => OpenWorld,
  { strict }: { readonly strict: boolean },
): void => {
  it(
    strict
      ? 'promises mail exactly once, and grants at most once'
      : 'promises nothing, for it was never asked to',
    async () => {
      const { guest } = open();
      expect(await guest.guarantees()).toEqual(
        strict
          ? { mail: 'exactly-once', grants: 'at-most-once' }
          : { mail: 'unknown', grants: 'unknown' },
      );
    },
  );

  it('has a message in the mailbox of its sender when the call has ended', async () => {
    const { guest } = open();
    await guest.send(['HOST'], text('on record'));
    expect(await lastOf(guest)).toMatchObject({ strings: ['on record'] });
  });
};
