import { CliError, EXIT, usageError } from './cli-error.ts';
import type { CliPowers, Invocation } from './powers.ts';

/**
 * Asks before something that cannot be undone. `--yes` is the answer of those
 * who have nobody to ask.
 */
export const confirm = async (
  powers: CliPowers,
  call: Pick<Invocation, 'options' | 'json'>,
  verb: string,
  question: string,
): Promise<void> => {
  if (call.options['yes'] === true) return;
  const needed = `${verb} cannot be undone: say --yes when nobody is there to be asked`;
  if (call.json) throw usageError(needed);
  const lines = powers.openLines('type "yes" to go on> ');
  try {
    if (!lines.isTTY) throw usageError(needed);
    lines.print(powers.stdout, `${question}\n`);
    const answer = await Promise.race([lines.next(), interrupted(powers)]);
    if (answer?.trim().toLowerCase() === 'yes') return;
    throw new CliError(`${verb}: nothing was changed`, {
      exitCode: EXIT.error,
    });
  } finally {
    lines.close();
  }
};
harden(confirm);

/** Resolves to no answer at a Ctrl-C. */
const interrupted = (powers: CliPowers): Promise<undefined> =>
  new Promise((resolve) => {
    const stop = powers.onInterrupt(() => {
      stop();
      resolve(undefined);
    });
  });
