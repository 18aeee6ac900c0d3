import { describe, expect, it } from 'vitest';

import { dispatchCall } from '../../src/tool/dispatch.ts';
import {
  type KeptResults,
  makeKeptResults,
} from '../../src/tool/kept-results.ts';
import { makeRegistry } from '../../src/tool/registry.ts';
import { boundText } from '../../src/tool/render.ts';

const read = async (
  kept: KeptResults,
  args: { readonly [name: string]: unknown },
): Promise<string> => {
  const { content } = await dispatchCall(
    { id: 'c', name: 'readResult', argumentsText: JSON.stringify(args) },
    {
      registry: makeRegistry([], [kept.source]),
      timeoutMs: 1000,
      startTimer: () => () => undefined,
      signal: new AbortController().signal,
      keepRest: kept.keepRest,
    },
  );
  return content;
};

const NEXT =
  /\n\[cut: \d+ of \d+ characters are not shown; readResult with id "(r\d+)" and from (\d+) goes on\]$/u;

describe('a result that was cut', () => {
  it('is read to its end, piece by piece, without a gap', async () => {
    const kept = makeKeptResults();
    const whole = Array.from(
      { length: 20_000 },
      (_, index) => `línea ${index}`,
    ).join('\n');
    let piece = boundText(whole, undefined, kept.keepRest);
    let text = '';
    for (;;) {
      const next = NEXT.exec(piece);
      text += piece.replace(NEXT, '');
      if (next === null) break;
      piece = await read(kept, { id: next[1], from: next[2] });
      expect(new TextEncoder().encode(piece).length).toBeLessThanOrEqual(
        32 * 1024,
      );
    }
    expect(text).toBe(whole);
  });

  it('brings readResult, which is not there before', () => {
    const kept = makeKeptResults();
    expect(kept.source.entries()).toEqual([]);
    boundText('short', undefined, kept.keepRest);
    expect(kept.source.entries()).toEqual([]);
    boundText('x'.repeat(40_000), undefined, kept.keepRest);
    expect(kept.source.entries().map(({ name }) => name)).toEqual([
      'readResult',
    ]);
  });

  it('is kept as long as there is room for it: the oldest go first', async () => {
    const kept = makeKeptResults();
    for (const letter of 'abc')
      kept.keepRest(letter.repeat(3 * 1024 * 1024), 0);
    expect(await read(kept, { id: 'r1' })).toBe(
      'readResult failed: No result "r1" is kept; there are "r2", "r3"',
    );
    expect(await read(kept, { id: 'r3' })).toMatch(/^ccc/u);
  });

  it('cannot be read beyond its end', async () => {
    const kept = makeKeptResults();
    kept.keepRest('x'.repeat(40_000), 0);
    expect(await read(kept, { id: 'r1', from: 40_000 })).toContain(
      'only 40000',
    );
  });
});
