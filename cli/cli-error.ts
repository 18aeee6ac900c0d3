/** What the shell is told. A needed decision is not an error, but not done either. */
export const EXIT = harden({ ok: 0, error: 1, usage: 2, decision: 3 });

/** A shell reports a program that Ctrl-C ended by this number. */
export const INTERRUPTED = 130;

/**
 * An error whose message is written for the person at the terminal: what was
 * tried, on what, and what to do. Printed as one line.
 */
export class CliError extends Error {
  readonly exitCode: number;

  constructor(
    message: string,
    details: { readonly exitCode?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'CliError';
    this.exitCode = details.exitCode ?? EXIT.error;
  }
}
harden(CliError);

/** The command line itself is wrong: nothing was tried. */
export const usageError = (message: string): CliError =>
  new CliError(message, { exitCode: EXIT.usage });
harden(usageError);

/** The text of anything thrown, in one line. */
export const reasonOf = (thrown: unknown): string => {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return text.replaceAll(/\s*\n\s*/gu, ' ').trim();
};
harden(reasonOf);
