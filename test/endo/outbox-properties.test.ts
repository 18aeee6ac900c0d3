import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CLASSES } from './outbox-drafts.ts';
import { type ModelSettings, makeModel } from './outbox-model.ts';

const steps = fc.array(
  fc.record({ pick: fc.nat({ max: 999 }), choice: fc.nat({ max: 999 }) }),
  { maxLength: 90, size: 'max' },
);

type Model = ReturnType<typeof makeModel>;

/** Whatever happens; `makeModel` says which claims are wrong. */
const always = (
  settings: ModelSettings,
  check: (model: Model) => void,
): Promise<void> =>
  fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      const model = makeModel(settings);
      for (const step of chosen) await model.step(step);
      await model.finish();
      check(model);
    }),
    { numRuns: 250 },
  );

const everyDraftEnds = ({ sendings }: Model): void => {
  const open = sendings().filter(({ ended }) => ended === undefined);
  expect(open).toEqual([]);
};

const draftsOf = ({ sendings }: Model, name: string): number =>
  sendings().filter((each) => each.name === name).length;

const atMostOnce = (model: Model): void => {
  everyDraftEnds(model);
  for (const name of CLASSES) {
    expect(model.delivered(name)).toBeLessThanOrEqual(draftsOf(model, name));
  }
};

const exactlyOnce = (model: Model): void => {
  expect(model.sendings().map(({ ended }) => ended)).toEqual(
    model.sendings().map(() => 'claimed'),
  );
  for (const name of CLASSES) {
    expect(model.delivered(name)).toBe(draftsOf(model, name));
  }
};

describe('with other clients of the guest, and crashes at any point', () => {
  it('what is sent leaves exactly once, and its copy is known', () =>
    always({ atomic: true, twins: false, harsh: false }, exactlyOnce));

  it('nothing leaves twice, also with others who send the very same', () =>
    always({ atomic: true, twins: true, harsh: false }, atMostOnce));
});

describe('when calls are refused, answers lost, and time runs out besides', () => {
  it('nothing leaves twice, and no copy has two claims or a wrong one', () =>
    always({ atomic: true, twins: false, harsh: true }, atMostOnce));

  it('nor with others who send the very same', () =>
    always({ atomic: true, twins: true, harsh: true }, atMostOnce));

  it('nor has a copy two claims where a crash can part the two mailboxes', () =>
    always({ atomic: false, twins: false, harsh: true }, everyDraftEnds));
});
