import { expect, it } from 'vitest';
import type { Collector } from '../../../daemon/store/collector.ts';
import type { Database } from '../../../daemon/store/database.ts';
import type { FormulaStore } from '../../../daemon/store/formulas.ts';
import { startScrubbing } from '../../../daemon/store/scrubbing.ts';

/** A state in which old settings are to be wiped as soon as `isDue` says so. */
const makeWorld = (rewrite: () => void) => {
  const meta = new Map<string, string>();
  const lines: string[] = [];
  const listeners: (() => void)[] = [];
  startScrubbing({
    database: { rewrite } as Database,
    formulas: {
      getMeta: (key: string) => meta.get(key),
      setMeta: (key: string, value: string) => {
        meta.set(key, value);
      },
    } as FormulaStore,
    collector: {
      onCollected: (listener: () => void) => {
        listeners.push(listener);
      },
    } as unknown as Collector,
    log: (line) => {
      lines.push(line);
    },
  });
  return {
    lines,
    collect: (isDue: boolean) => {
      if (isDue) meta.set('scrub-due', 'yes');
      for (const listener of listeners) listener();
    },
  };
};

it('wipes once for each time that settings were thrown away', () => {
  let count = 0;
  const { collect } = makeWorld(() => {
    count += 1;
  });
  for (const isDue of [false, true, false, true]) collect(isDue);
  expect(count).toBe(2);
});

it('does not try again at every value that is collected, when it cannot wipe', () => {
  let count = 0;
  const { collect, lines } = makeWorld(() => {
    count += 1;
    throw Error('the disk is full');
  });
  for (const isDue of [true, false, false]) collect(isDue);
  expect(count).toBe(1);
  expect(lines).toEqual([
    'old settings could not be wiped from the disk, which is tried again at the next start: the disk is full',
  ]);
});
