import { E, Far } from '@endo/far';
import { makeExo } from '@endo/exo';
import { M } from '@endo/patterns';
import type { Console } from '../connection/lockdown.ts';

/**
 * Makes Node's classes safe to share between compartments: whoever could write
 * to a prototype would reach all other code in this worker.
 */
const hardenClasses = (): void => {
  harden([URL, URLSearchParams, TextEncoder, TextDecoder]);
  harden(Object.getPrototypeOf(new URLSearchParams().entries()));
};

/** The globals of evaluated code, besides those of the language. */
export const makeEndowments = (
  console: Console,
): Readonly<Record<string, unknown>> => {
  hardenClasses();
  return harden({
    E,
    Far,
    M,
    TextDecoder,
    TextEncoder,
    URL,
    assert,
    console,
    harden,
    makeExo,
  });
};
harden(makeEndowments);
