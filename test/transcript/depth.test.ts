import { expect, it } from 'vitest';
import { depthOf, withDepth } from '../../src/transcript/depth.ts';

it('is 2 on the first answer and grows by 2 with each turn', () => {
  expect([1, 2, 3].map(depthOf)).toEqual([2, 4, 6]);
});

it('replaces whatever depth the model wrote itself', () => {
  expect(withDepth('[depth:7] [depth:8] The sum is 5.', 4)).toBe(
    '[depth:4] The sum is 5.',
  );
});

it('leaves alone what only looks like one further on', () => {
  expect(withDepth('It says [depth:3] there.', 2)).toBe(
    '[depth:2] It says [depth:3] there.',
  );
});
