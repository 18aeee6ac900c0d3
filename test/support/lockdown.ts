// The lockdown that the daemon's workers run under, with errors made legible.
// Trapping is off: under bare `@endo/init` an unhandled rejection is swallowed,
// and a broken test passes.
import '@endo/init/pre-remoting.js';

lockdown({
  errorTaming: 'unsafe-debug',
  stackFiltering: 'verbose',
  consoleTaming: 'unsafe',
  errorTrapping: 'none',
  unhandledRejectionTrapping: 'none',
  overrideTaming: 'moderate',
  domainTaming: 'unsafe',
});

// Marshal prints every error that it sends, with its text. Here errors are
// sent on purpose, and what a test wants to know of them it asserts.
const { log } = console;
console.log = (...args: readonly unknown[]) => {
  if (args[0] !== 'Temporary logging of sent error') log(...args);
};
