import { afterEach, beforeEach, describe } from 'vitest';
import { itKeepsNames } from './guest-directory.ts';
import { itSaysWhatHolds } from './guest-guarantees.ts';
import { itDeliversMail } from './guest-mail.ts';
import { itDecidesOnce, itProposesCode } from './guest-proposals.ts';
import { itAnswersOnce, itAsksForValues } from './guest-requests.ts';
import type { ContractWorld, OpenWorld } from './world.ts';
import { openWorld } from './world.ts';

/**
 * The behaviour of a guest that the agent stands on, whatever daemon it is of.
 *
 * @param makeWorld - called before each test; its `stop` after it
 * @param strict - whether the daemon has none of the weak points of Endo's
 *   generation A. What only Hob's own promises is left out where it is false.
 */
export const describeGuestContract = (
  name: string,
  makeWorld: () => Promise<ContractWorld>,
  { strict }: { readonly strict: boolean } = { strict: true },
): void => {
  describe(`a guest of ${name}`, () => {
    let current: OpenWorld | undefined;
    const open = (): OpenWorld => {
      if (current === undefined) throw Error('There is no world yet');
      return current;
    };
    beforeEach(async () => {
      current = openWorld(await makeWorld());
    });
    afterEach(async () => {
      await current?.world.stop();
      current = undefined;
    });

    describe('keeps names', () => itKeepsNames(open, { strict }));
    describe('has mail', () => itDeliversMail(open, { strict }));
    describe('guarantees', () => itSaysWhatHolds(open, { strict }));
    describe('proposes code', () => {
      itProposesCode(open);
      if (strict) itDecidesOnce(open);
    });
    describe('asks for values', () => {
      itAsksForValues(open);
      if (strict) itAnswersOnce(open);
    });
  });
};
