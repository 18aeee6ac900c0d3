import { M } from '@endo/patterns';

/** Longest source that is evaluated, in UTF-16 code units. */
export const MAX_SOURCE_LENGTH = 1_000_000;
harden(MAX_SOURCE_LENGTH);
const MAX_BINDINGS = 1_000;
const MAX_ENV = 1_000;
const MAX_ENV_LENGTH = 1_000_000;

const env = M.recordOf(
  M.string(),
  M.string({ stringLengthLimit: MAX_ENV_LENGTH }),
  { numPropertiesLimit: MAX_ENV },
);

/** What a worker that evaluates proposed code does for its daemon. */
export const ConfinedWorkerI = M.interface('HobConfinedWorker', {
  evaluate: M.call(
    M.string({ stringLengthLimit: MAX_SOURCE_LENGTH }),
    M.arrayOf(M.string(), { arrayLengthLimit: MAX_BINDINGS }),
    M.arrayOf(M.any(), { arrayLengthLimit: MAX_BINDINGS }),
  ).returns(M.promise()),
});
harden(ConfinedWorkerI);

/** What a worker that runs unconfined caplets does for its daemon. */
export const UnconfinedWorkerI = M.interface('HobUnconfinedWorker', {
  makeUnconfined: M.call(M.string(), M.any(), M.any(), env).returns(
    M.promise(),
  ),
});
harden(UnconfinedWorkerI);
