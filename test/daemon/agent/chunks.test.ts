import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeChunks } from '../../../daemon/agent/chunks.ts';

it('are all that was added, each full but for the last', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 20 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 1, max: 16 }), (all, length) => {
      const chunks = makeChunks(length);
      for (const piece of all) chunks.add(piece);
      const ended = chunks.end();
      expect(Buffer.concat(ended)).toEqual(Buffer.concat(all));
      for (const chunk of ended.slice(0, -1))
        expect(chunk).toHaveLength(length);
      expect(ended.at(-1)?.length ?? length).toBeGreaterThan(0);
    }),
  );
});
