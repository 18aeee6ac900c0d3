import { defineExoClass } from '@endo/exo';
import { IteratorI } from './guards.ts';

/** Where an iterator takes from. `undefined` is the end. */
export type Source = {
  readonly next: () => Promise<unknown>;
  readonly close: () => void;
};

const HELP = `Gives one thing after another.
next(): { value, done }; waits for what comes.
return(value?), throw(error?): end it.`;

type State = { readonly source: Source };

/** A far iterator, as `for await` over a far reference takes it. */
export const makeFarIterator = defineExoClass(
  'AsyncIterator',
  IteratorI,
  (source: Source): State => ({ source }),
  {
    async next() {
      const value = await this.state.source.next();
      return harden({ value, done: value === undefined });
    },
    return(value?: unknown) {
      this.state.source.close();
      return harden({ value, done: true });
    },
    throw() {
      this.state.source.close();
      return harden({ value: undefined, done: true });
    },
    help() {
      return HELP;
    },
  },
);
harden(makeFarIterator);
