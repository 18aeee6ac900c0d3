import { makeExo } from '@endo/exo';
import { UnconfinedWorkerI } from './worker-guard.ts';

type Env = Readonly<Record<string, string>>;

type CapletModule = {
  readonly make?: (
    powers: unknown,
    context: unknown,
    options: { readonly env: Env },
  ) => unknown;
};

const load = async (specifier: string): Promise<CapletModule> => {
  if (!specifier.startsWith('file:')) {
    throw Error(
      `An unconfined caplet is named by a file: URL, not by ${JSON.stringify(specifier)}`,
    );
  }
  return (await import(specifier)) as CapletModule;
};

const run = async (
  specifier: string,
  powers: unknown,
  context: unknown,
  env: Env,
): Promise<unknown> => {
  const { make } = await load(specifier);
  if (typeof make !== 'function') {
    throw Error(
      `The module ${JSON.stringify(specifier)} is no caplet: it exports no function "make"`,
    );
  }
  return make(powers, context, harden({ env }));
};

/**
 * The bootstrap object of a worker for unconfined caplets.
 *
 * @param onMade - called when a caplet was made, and so all of it is loaded
 */
export const makeUnconfinedWorker = (onMade: () => void) =>
  makeExo('HobUnconfinedWorker', UnconfinedWorkerI, {
    async makeUnconfined(
      specifier: string,
      powers: unknown,
      context: unknown,
      env: Env,
    ) {
      const caplet = await run(specifier, powers, context, env);
      onMade();
      return caplet;
    },
  });
harden(makeUnconfinedWorker);
